import type { Headend, HeadendContext } from '../headend/headend.ts'
import { RUN_ERRORS } from '../routes/openapi.ts'
import { routes } from '../routes/routes.ts'
import { postCommand } from '../headend/shell-quote.ts'
import { createHeldRuns } from '../human-input/held-runs.ts'
import { aguiRequest } from './agui-request.ts'
import { answerAgui, type AguiRun } from './answer-agui.ts'

/**
 * Creates the headend for AG-UI 1.0: streams runs with their tool calls, child runs as subagents and
 * approvals as interrupts.
 */
export function createAguiHeadend(context: HeadendContext): Headend {
  const held = createHeldRuns<AguiRun>()
  return {
    name: 'agui',
    ...routes(
      {
        '/agui/:agent': {
          POST: {
            id: 'runAgui',
            summary: 'Run an agent for an AG-UI client',
            body: aguiRequest,
            answers: {
              200: { description: 'AG-UI events', content: { 'text/event-stream': 'text' } },
            },
            errors: RUN_ERRORS,
            handler: answerAgui(context, held),
          },
        },
      },
      { tag: 'AG-UI', ...context },
    ),
    examples: ({ origin, agent, message, credentials }) => {
      const url = `${origin}/agui/${encodeURIComponent(agent)}`
      const messages = [{ id: '1', role: 'user', content: message }]
      const body = { threadId: '1', runId: '1', messages, tools: [], context: [] }
      return [{ title: 'AG-UI', url, command: postCommand(url, body, { credentials }) }]
    },
    drain: held.drain,
  }
}
