import {
  failure,
  hasAnswer,
  publicFailure,
  type ContentPart,
  type Failure,
  type Json,
  type RunResult,
  type ToolResult,
} from '@troupe/schema'

/**
 * Converts the result of a child run to the result of the tool call that opened it. An answer is returned as
 * it is, and a partial answer is marked as partial. Anything else becomes a tool error whose text starts with
 * `Error: ` and whose `structured` is `{outcome, class, code, message, remediation, agent, runId, partial?}`.
 */
export function toToolResult(result: RunResult): ToolResult {
  const common = {
    outcome: result.outcome,
    childRunId: result.runId,
    ...(result.merge === undefined ? {} : { merge: result.merge }),
  }
  if (hasAnswer(result.outcome)) {
    return {
      ...common,
      content: answerContent(result),
      ...(result.value === undefined ? {} : { structured: result.value }),
    }
  }
  const reason = result.failure ?? noReason(result)
  // Only the public part of the failure, since models may repeat it.
  const shown = publicFailure(reason)
  return {
    ...common,
    content: failureContent(result, shown),
    structured: failureData(result, shown),
    failure: reason,
  }
}

function answerContent({ outcome, text, failure: reason }: RunResult): readonly ContentPart[] {
  const answer = textPart(text)
  if (outcome !== 'partial') return [answer]
  const why = reason === undefined ? 'the agent had not finished.' : publicFailure(reason).message
  return [answer, textPart(`Partial answer: ${why}`)]
}

function failureContent({ text }: RunResult, reason: Failure): readonly ContentPart[] {
  const parts = [
    textPart(`Error: ${reason.message}`),
    textPart(`Class: ${reason.class}. Code: ${reason.code}. What to do: ${reason.remediation}`),
  ]
  return text === '' ? parts : [...parts, textPart(`What it had written before it ended:\n${text}`)]
}

function failureData(result: RunResult, reason: Failure): Json {
  return {
    outcome: result.outcome,
    class: reason.class,
    code: reason.code,
    message: reason.message,
    remediation: reason.remediation,
    agent: result.agent,
    runId: result.runId,
    ...(result.text === '' ? {} : { partial: result.text }),
  }
}

function noReason({ agent, outcome }: RunResult): Failure {
  return failure('child_failed', `The agent ${agent} ended with ${outcome} and gave no reason.`)
}

function textPart(text: string): ContentPart {
  return { type: 'text', text }
}
