import type { RunEvent, RunReport } from '@troupe/schema'
import { contentText, eventCorrelation } from '@troupe/timeline'
import { type AguiEvent, createMessageMapper } from './create-message-mapper.ts'

/**
 * A mapper from the events of a run tree to AG-UI events. It closes everything that it opens, even if a run
 * is cut short.
 */
export interface EventMapper {
  read(event: RunEvent): readonly AguiEvent[]
  /** Suspends the subagents while the run waits for a person. */
  suspend(): readonly AguiEvent[]
  /** Returns the start events of the suspended subagents. */
  resume(): readonly AguiEvent[]
  /** Closes what is open and adds the answer if it was not sent yet. */
  end(report: RunReport | undefined): readonly AguiEvent[]
}

type AguiSourceEvent<Type extends RunEvent['type']> = Extract<RunEvent, { readonly type: Type }>

/** Creates an event mapper. `newId` creates message ids. */
export function createEventMapper(newId: () => string): EventMapper {
  const messages = createMessageMapper(newId)
  // Start events of the active child runs, by run id.
  const subagents = new Map<string, AguiEvent>()

  function startChild(event: AguiSourceEvent<'run-start'>): readonly AguiEvent[] {
    if (isRoot(event)) return []
    const isNested = event.parentRunId !== undefined && event.parentRunId !== event.rootRunId
    const call = eventCorrelation(event)
    const started: AguiEvent = {
      type: 'SUBAGENT_STARTED',
      subagentRunId: event.runId,
      name: event.agent,
      ...(isNested ? { parentSubagentRunId: event.parentRunId } : {}),
      ...(call === undefined ? {} : { parentToolCallId: call }),
    }
    subagents.set(event.runId, started)
    return [started]
  }

  function endChild(event: AguiSourceEvent<'run-end'>): readonly AguiEvent[] {
    if (isRoot(event)) return []
    subagents.delete(event.runId)
    const { runId: subagentRunId, outcome, output, error } = event
    if (error !== undefined && outcome !== 'partial')
      return [{ type: 'SUBAGENT_ERROR', subagentRunId, message: error.message, code: error.code }]
    const result = output.value ?? output.text ?? ''
    return [{ type: 'SUBAGENT_FINISHED', subagentRunId, result, outcome: { type: 'success' } }]
  }

  return {
    read(event) {
      switch (event.type) {
        case 'run-start':
          return startChild(event)
        case 'text-delta':
          return messages.append(event, { kind: 'text', text: event.text })
        case 'reasoning-delta':
          return messages.append(event, { kind: 'reasoning', text: event.text })
        case 'text-end':
          return messages.finish(event, event.text)
        case 'model-retry':
        case 'model-fallback':
        case 'turn-end':
          return messages.close(event.runId)
        case 'tool-call':
          return [...messages.close(event.runId), ...toolCall(event)]
        case 'tool-result':
          return toolResult(event)
        case 'run-end':
          return [...messages.close(event.runId), ...endChild(event)]
        default:
          return []
      }
    },
    suspend() {
      const suspended = [...subagents.keys()].toReversed().map((subagentRunId): AguiEvent => ({
        type: 'SUBAGENT_FINISHED',
        subagentRunId,
        outcome: { type: 'suspended' },
      }))
      return [...messages.closeAll(), ...suspended]
    },
    resume: () => [...subagents.values()],
    end(report) {
      const open = [...subagents.keys()].toReversed().map((subagentRunId): AguiEvent => ({
        type: 'SUBAGENT_ERROR',
        subagentRunId,
        message: 'The subagent was interrupted.',
        code: 'run_cancelled',
      }))
      subagents.clear()
      return [...messages.closeAll(), ...open, ...(report === undefined ? [] : messages.complete(report))]
    },
  }
}

function toolCall(event: AguiSourceEvent<'tool-call'>): readonly AguiEvent[] {
  const toolCallId = eventCorrelation(event)
  const by = attribution(event)
  return [
    { type: 'TOOL_CALL_START', toolCallId, toolCallName: event.toolName, ...by },
    { type: 'TOOL_CALL_ARGS', toolCallId, delta: JSON.stringify(event.args), ...by },
    { type: 'TOOL_CALL_END', toolCallId, ...by },
  ]
}

function toolResult(event: AguiSourceEvent<'tool-result'>): readonly AguiEvent[] {
  const toolCallId = eventCorrelation(event)
  const messageId = `${toolCallId}:result`
  const content = contentText(event.content)
  return [{ type: 'TOOL_CALL_RESULT', messageId, toolCallId, role: 'tool', content, ...attribution(event) }]
}

/** Returns the subagent of an event; empty for the root run. */
function attribution(event: Pick<RunEvent, 'runId' | 'rootRunId'>): { readonly subagentRunId?: string } {
  return isRoot(event) ? {} : { subagentRunId: event.runId }
}

function isRoot({ runId, rootRunId }: Pick<RunEvent, 'runId' | 'rootRunId'>): boolean {
  return runId === rootRunId
}
