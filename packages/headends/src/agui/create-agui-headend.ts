import type { Headend, HeadendContext } from '../headend/headend.ts'
import { routes } from '../headend/routes.ts'
import { postCommand } from '../headend/shell-quote.ts'
import { createHeldRuns } from '../human-input/held-runs.ts'
import { aguiOperations } from './agui-operations.ts'
import { answerAgui, type AguiRun } from './answer-agui.ts'

/**
 * Creates the headend for AG-UI 1.0: streams runs with their tool calls, child runs as subagents and
 * approvals as interrupts.
 */
export function createAguiHeadend(context: HeadendContext): Headend {
  const held = createHeldRuns<AguiRun>()
  return {
    name: 'agui',
    ...routes({ '/agui/:agent': { POST: answerAgui(context, held) } }, context),
    examples: ({ origin, agent, message, credentials }) => {
      const url = `${origin}/agui/${encodeURIComponent(agent)}`
      const messages = [{ id: '1', role: 'user', content: message }]
      const body = { threadId: '1', runId: '1', messages, tools: [], context: [] }
      return [{ title: 'AG-UI', url, command: postCommand(url, body, { credentials }) }]
    },
    operations: aguiOperations,
    drain: held.drain,
  }
}
