import type { Agent } from '@troupe/client'
import type { AgentTool } from '@troupe/schema'
import { Hammer, Pencil, Play, Plus, Trash2 } from 'lucide-react'
import { useState, type ReactElement } from 'react'
import { client } from '../api/client.ts'
import { toolsQuery, type AgentToolList } from '../api/tools.ts'
import { useAction, type RequestState, useRequest } from '../api/use-request.ts'
import { goTo, hrefOf, type PageRoute } from '../route/route.ts'
import { Button, buttonClasses, IconButton } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Select } from '../ui/field.tsx'
import { EmptyState, FailureNotice, Notice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { ToolEditor } from './editor/tool-editor.tsx'
import { TestDialog } from './trial/test-dialog.tsx'

/** Lists the exported tools of an agent in tools mode, to add, edit, delete and test them. */
function ToolsPage({
  agents,
  agent,
  toolList,
}: {
  /** The agents in tools mode. */
  readonly agents: readonly Agent[]
  readonly agent: Agent
  readonly toolList: RequestState<AgentToolList>
}): ReactElement {
  const [tested, setTested] = useState<AgentTool>()
  const [deleted, setDeleted] = useState<AgentTool>()
  const { value, failure, refresh } = toolList
  return (
    <>
      <PageHead title="Tools">
        <Select
          aria-label="Agent"
          value={agent.name}
          onChange={(event) => goTo({ page: 'tools', agent: event.target.value })}
        >
          {agents.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
        <a href={hrefOf({ page: 'tool', agent: agent.name })} className={buttonClasses('solid')}>
          <Plus aria-hidden="true" className="size-4" /> Add a tool
        </a>
      </PageHead>
      <div className="mx-auto flex max-w-4xl flex-col gap-4 p-4 sm:p-6">
        <p className="text-small text-muted">
          A tool consists of a JSON Schema and a prompt. The arguments of an MCP call are inserted into the
          prompt, and a run of {agent.name} answers it.
        </p>
        {failure === undefined ? null : <FailureNotice failure={failure} />}
        {value?.readOnly === undefined ? null : <Notice tone="warn">{value.readOnly}</Notice>}
        {value?.tools.length === 0 ? (
          <EmptyState
            icon={<Hammer className="size-5" />}
            title={`${agent.name} does not export any tools yet`}
          >
            Add one. It is written to <code className="font-mono break-all">{value.file}</code>.
          </EmptyState>
        ) : null}
        <ul className="flex flex-col gap-2">
          {value?.tools.map((tool) => (
            <li
              key={tool.name}
              className="flex items-start gap-3 rounded-lg border border-line bg-panel py-3 pr-2 pl-4"
            >
              <div className="flex min-w-0 grow flex-col gap-1">
                <a
                  href={hrefOf({ page: 'tool', agent: agent.name, tool: tool.name })}
                  className="self-start rounded-sm font-mono text-small font-semibold hover:text-accent"
                >
                  {tool.name}
                </a>
                <p className="text-small">{tool.description}</p>
                <Parameters tool={tool} />
              </div>
              <div className="flex shrink-0">
                <IconButton label={`Test ${tool.name}`} onClick={() => setTested(tool)}>
                  <Play className="size-4" />
                </IconButton>
                <IconButton
                  label={`Edit ${tool.name}`}
                  onClick={() => goTo({ page: 'tool', agent: agent.name, tool: tool.name })}
                >
                  <Pencil className="size-4" />
                </IconButton>
                <IconButton
                  label={`Delete ${tool.name}`}
                  disabled={value.readOnly !== undefined}
                  onClick={() => setDeleted(tool)}
                >
                  <Trash2 className="size-4" />
                </IconButton>
              </div>
            </li>
          ))}
        </ul>
      </div>
      {tested === undefined ? null : (
        <TestDialog agent={agent.name} tool={tested} onClose={() => setTested(undefined)} />
      )}
      {deleted === undefined ? null : (
        <DeleteDialog
          agent={agent.name}
          tool={deleted}
          version={value?.version}
          onDone={() => {
            setDeleted(undefined)
            refresh()
          }}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  )
}

function Parameters({ tool }: { readonly tool: AgentTool }): ReactElement | null {
  const { properties = {}, required = [] } = tool.parameters
  const names = Object.keys(properties)
  if (names.length === 0) return null
  return (
    <p className="flex flex-wrap gap-1.5 pt-1">
      {names.map((name) => (
        <span key={name} className="rounded-sm bg-raised px-1.5 font-mono text-tiny text-muted">
          {name}
          {required.includes(name) ? <span className="text-bad">*</span> : null}
        </span>
      ))}
    </p>
  )
}

/** Asks for confirmation before a tool is deleted from its card. */
function DeleteDialog({
  agent,
  tool,
  version,
  onDone,
  onClose,
}: {
  readonly agent: string
  readonly tool: AgentTool
  readonly version: string | undefined
  readonly onDone: () => void
  readonly onClose: () => void
}): ReactElement {
  const remove = useAction(() => client.tools.delete({ agent, tool: tool.name }, { version }), onDone)
  return (
    <Dialog title={`Delete ${tool.name}?`} isOpen onClose={onClose}>
      <div className="flex flex-col gap-4 p-5">
        <p className="text-small">
          It is deleted from the card of {agent}. Clients that call it will get an error.
        </p>
        {remove.failure === undefined ? null : <FailureNotice failure={remove.failure} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="danger" disabled={remove.isBusy} onClick={() => remove.run()}>
            Delete
          </Button>
        </div>
      </div>
    </Dialog>
  )
}

/** Shows the list of exported tools, or the editor of one. Only agents in tools mode have such tools. */
export function ToolsRoute({
  route,
  agents,
}: {
  readonly route: Extract<PageRoute, { readonly page: 'tools' | 'tool' }>
  readonly agents: readonly Agent[]
}): ReactElement | null {
  const inToolsMode = agents.filter(({ mode }) => mode === 'tools')
  const agent =
    route.agent === undefined ? inToolsMode[0] : inToolsMode.find(({ name }) => name === route.agent)
  const toolList = useRequest(agent === undefined ? undefined : toolsQuery(agent.name))
  if (agent === undefined) return <NoToolsAgent named={route.agent} />
  if (route.page === 'tools')
    return <ToolsPage key={agent.name} agents={inToolsMode} agent={agent} toolList={toolList} />
  const { value, failure, refresh } = toolList
  if (value === undefined)
    return failure === undefined ? null : <FailureNotice failure={failure} className="m-6" />
  const tool = value.tools.find(({ name }) => name === route.tool)
  if (route.tool !== undefined && tool === undefined)
    return (
      <EmptyState isPage title={`${agent.name} has no tool ${route.tool}`}>
        It may have been renamed.
      </EmptyState>
    )
  return (
    <ToolEditor key={`${agent.name} ${route.tool ?? ''}`} toolList={value} tool={tool} onSaved={refresh} />
  )
}

function NoToolsAgent({ named }: { readonly named: string | undefined }): ReactElement {
  return (
    <EmptyState
      isPage
      icon={<Hammer className="size-5" />}
      title={named === undefined ? 'No agent is in tools mode' : `${named} is not in tools mode`}
    >
      An agent with <code className="font-mono">mode: tools</code> in its card exports tools to other programs
      over MCP. Set this mode in a card, then define the tools here.
    </EmptyState>
  )
}
