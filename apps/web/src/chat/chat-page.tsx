import type { Agent } from '@troupe/client'
import { Popover } from '@base-ui/react/popover'
import { Plus, Coins } from 'lucide-react'
import { useCallback, useState, type ReactElement } from 'react'
import { client } from '../api/client.ts'
import { useServerLink } from '../api/server-link.ts'
import { useAction } from '../api/use-request.ts'
import { useRun } from '../feed/use-run.ts'
import { rootOf } from '../reducers/run-view-state.ts'
import { goTo, hrefOf } from '../route/route.ts'
import { Inspector } from '../timeline/inspector.tsx'
import { WaterfallView } from '../timeline/waterfall-view.tsx'
import { Button, buttonClasses } from '../ui/button.tsx'
import { Select, Field, TextInput } from '../ui/field.tsx'
import { EmptyState, FailureNotice } from '../ui/notice.tsx'
import { PageHead } from '../ui/page-head.tsx'
import { ChatMessageView } from './chat-message.tsx'
import { NO_SETTINGS, budgetText, type MessageBudget, ModelSelect } from './chat-settings.tsx'
import { Composer } from './composer.tsx'
import { ConversationStart } from './conversation-start.tsx'
import { useConversation } from './use-conversation.ts'
import { useStickToEnd } from './use-stick-to-end.ts'

/** Shows a conversation with an agent, and the timeline of its last message. */
export function ChatPage({
  agents,
  agent,
  sessionId,
}: {
  readonly agents: readonly Agent[]
  readonly agent: Agent
  readonly sessionId: string | undefined
}): ReactElement {
  const [text, setText] = useState('')
  const clear = useCallback(() => setText(''), [])
  const conversation = useConversation(agent.name, sessionId, clear)
  const { messages, send } = conversation
  const { isLost } = useServerLink()
  const [picks, setPicks] = useState(0)
  const [settings, setSettings] = useState(NO_SETTINGS)
  const [live, setLive] = useState<ReadonlySet<string>>(new Set())
  const container = useStickToEnd()
  const stop = useAction((runId: string) => client.cancel(runId))
  const last = messages.at(-1)
  const noteLive = useCallback((runId: string, isLive: boolean) => {
    setLive((before) => {
      if (before.has(runId) === isLive) return before
      return new Set(isLive ? [...before, runId] : [...before].filter((id) => id !== runId))
    })
  }, [])
  const pick = (example: string): void => {
    setText(example)
    setPicks(picks + 1)
  }
  const isRunning = send.isBusy || (last !== undefined && live.has(last.runId))
  return (
    <div className="flex h-full min-h-0 flex-col">
      <PageHead title="Chat">
        <Select
          aria-label="Agent"
          className="max-w-56"
          value={agent.name}
          onChange={(event) => goTo({ page: 'chat', agent: event.target.value })}
        >
          {agents.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
        <Button onClick={() => goTo({ page: 'chat', agent: agent.name })} disabled={messages.length === 0}>
          <Plus aria-hidden="true" className="size-4" /> New
        </Button>
      </PageHead>
      <div className="grid min-h-0 grow lg:grid-cols-[minmax(0,1fr)_minmax(20rem,36%)]">
        <div className="flex min-h-0 min-w-0 flex-col">
          <div ref={container} className="min-h-0 grow overflow-auto">
            <div className="mx-auto flex max-w-3xl flex-col gap-8 px-4 py-6 sm:px-6">
              <ConversationStart agent={agent} conversation={conversation} onPick={pick} />
              {messages.map(({ runId, text: messageText, label }) => (
                <ChatMessageView
                  key={runId}
                  runId={runId}
                  text={messageText}
                  label={label}
                  agent={agent.name}
                  onLive={noteLive}
                  onRetry={isRunning ? undefined : (input) => send.run(input, settings)}
                  onOpenRun={() => goTo({ page: 'run', runId })}
                />
              ))}
            </div>
          </div>
          <div className="mx-auto w-full max-w-3xl px-4 pb-4 sm:px-6">
            {send.failure === undefined ? null : <FailureNotice failure={send.failure} className="mb-2" />}
            {stop.failure === undefined ? null : <FailureNotice failure={stop.failure} className="mb-2" />}
            <Composer
              text={text}
              onText={setText}
              agent={agent.name}
              picks={picks}
              isRunning={isRunning}
              isLost={isLost}
              onSend={() => send.run(text.trim(), settings)}
              onStop={() => last !== undefined && stop.run(last.runId)}
            >
              <BudgetEditor
                budget={settings.budget}
                onChange={(budget) => setSettings({ ...settings, budget })}
              />
              <ModelSelect model={settings.model} onChange={(model) => setSettings({ ...settings, model })} />
            </Composer>
          </div>
        </div>
        <aside className="hidden min-h-0 min-w-0 border-l border-line bg-panel lg:block">
          {last === undefined ? (
            <EmptyState title="No runs yet">
              Send a message. The calls of agents and tools, their times and their costs appear here.
            </EmptyState>
          ) : (
            <RunPanel key={last.runId} runId={last.runId} />
          )}
        </aside>
      </div>
    </div>
  )
}

/** Shows the timeline of one message beside the conversation. */
function RunPanel({ runId }: { readonly runId: string }): ReactElement {
  const { viewState } = useRun(runId)
  const root = rootOf(viewState)
  const [selected, setSelected] = useState<string>()
  return (
    <section aria-label="Timeline" className="flex h-full min-h-0 flex-col">
      <div className="flex h-11 shrink-0 items-center justify-between border-b border-line px-4 text-small">
        <h2 className="font-semibold">Timeline</h2>
        <a href={hrefOf({ page: 'run', runId })} className="text-accent hover:underline">
          Open
        </a>
      </div>
      <div className="min-h-0 overflow-auto">
        {root === undefined ? null : (
          <WaterfallView viewState={viewState} selected={selected} onSelect={setSelected} />
        )}
      </div>
      {selected === undefined ? null : (
        <div className="flex min-h-[45%] flex-col border-t border-line">
          <Inspector viewState={viewState} selected={selected} onSelect={setSelected} />
        </div>
      )}
    </section>
  )
}

const CAPS: readonly {
  readonly key: keyof MessageBudget
  readonly label: string
  readonly step: string
  readonly hint: string
}[] = [
  { key: 'maxCost', label: 'Cost in USD', step: 'any', hint: 'For the run and its child runs.' },
  { key: 'maxTokens', label: 'Tokens', step: '1', hint: 'Input and output tokens together.' },
  { key: 'timeout', label: 'Time in seconds', step: '1', hint: 'Time spent waiting for you does not count.' },
]

/** Edits the budget of the next messages. The lower of this budget and the limits of the card applies. */
function BudgetEditor({
  budget,
  onChange,
}: {
  readonly budget: MessageBudget
  readonly onChange: (budget: MessageBudget) => void
}): ReactElement {
  const text = budgetText(budget)
  return (
    <Popover.Root>
      <Popover.Trigger className={buttonClasses('quiet', 'narrow')}>
        <Coins aria-hidden="true" className="size-4" />
        <span>{text === '' ? 'Budget' : text}</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={8} side="top" align="start">
          <Popover.Popup className="flex w-64 flex-col gap-3 rounded-lg border border-line bg-panel p-4 shadow-lg outline-none">
            <Popover.Title className="text-small font-semibold">Budget of each message</Popover.Title>
            {CAPS.map(({ key, label, step, hint }) => (
              <Field key={key} label={label} hint={hint}>
                {(props) => (
                  <TextInput
                    {...props}
                    type="number"
                    min="0"
                    step={step}
                    placeholder="as in the card"
                    value={budget[key] ?? ''}
                    onChange={(event) => onChange({ ...budget, [key]: readCap(event.target.value) })}
                  />
                )}
              </Field>
            ))}
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

function readCap(text: string): number | undefined {
  const value = Number(text)
  return text.trim() === '' || !Number.isFinite(value) || value <= 0 ? undefined : value
}
