import type { ToolList } from '@troupe/headends'
import { Hammer } from 'lucide-react'
import type { ReactElement } from 'react'
import type { ServedAgent } from '../api/agents.ts'
import { toolsPath } from '../api/tools.ts'
import { useRequest } from '../api/use-request.ts'
import type { PageRoute } from '../route/route.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { FailureNotice } from '../ui/notice.tsx'
import { ToolEditor } from './editor/tool-editor.tsx'
import { ToolsPage } from './tools-page.tsx'

/** Shows the list of exported tools, or the editor of one. Only agents in tools mode have such tools. */
export function ToolsRoute({
  route,
  agents,
}: {
  readonly route: Extract<PageRoute, { readonly page: 'tools' | 'tool' }>
  readonly agents: readonly ServedAgent[]
}): ReactElement | null {
  const inToolsMode = agents.filter(({ mode }) => mode === 'tools')
  const agent =
    route.agent === undefined ? inToolsMode[0] : inToolsMode.find(({ name }) => name === route.agent)
  const toolList = useRequest<ToolList>(agent === undefined ? undefined : toolsPath(agent.name))
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
      An agent whose card says <code className="font-mono">mode: tools</code> exports tools to other programs
      over MCP. Set this mode in a card, then define the tools here.
    </EmptyState>
  )
}
