import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { APICallError, type LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { toWireName, troupeError, type Json, type JsonObject, type LanguageModel } from '@troupe/schema'
import { withHash } from '@troupe/schema/text'
import {
  embeddedModel,
  type AnswerCall,
  type EmbeddedAnswer,
  estimateUsage,
} from '../embedded/embedded-model.ts'
import { invalidScript, ruleLocation, stepLocation } from './parse-script.ts'
import type { ModelScript, ScriptCall, ScriptFailure, ScriptRule, ScriptStep } from './script-schema.ts'
import { fillTemplate, templateData, type TemplateData } from './template.ts'

const MAX_MATCHED = 10_000

/**
 * Opens the scripted model for one run of an agent. Each call, even a failed one, uses one step of the agent,
 * else of `*`; after the last step the rules apply. Throws `model_script_exhausted` if nothing is left.
 * `made` is the number of calls already made by a resumed run.
 */
export function openScript(script: ModelScript, agent: string, made = 0): LanguageModel {
  const name = script.agents.has(agent) ? agent : '*'
  const steps = script.agents.get(name) ?? []
  let calls = made
  return embeddedModel({ provider: 'script', modelId: basename(script.file) }, async (options) => {
    const index = (calls += 1) - 1
    const data = templateData(options.prompt)
    const next = nextStep(script, { name, steps, index, data })
    if (next === undefined) throw exhausted(script, { agent, steps: steps.length, call: index + 1 })
    return playStep(next.step, {
      options,
      call: index,
      file: script.file,
      fill: (template) => fill(template, { data, file: script.file, location: next.location }),
    })
  })
}

function nextStep(
  { rules }: ModelScript,
  state: {
    readonly name: string
    readonly steps: readonly ScriptStep[]
    readonly index: number
    readonly data: TemplateData
  },
): { readonly step: ScriptStep; readonly location: string } | undefined {
  const step = state.steps[state.index]
  if (step !== undefined) return { step, location: stepLocation(state.name, state.index) }
  const rule = findRule(rules, state.data)
  return rule === undefined ? undefined : { step: rule, location: ruleLocation(rules.indexOf(rule)) }
}

/**
 * Returns the first matching rule. After tool results, prefers a rule without calls, because a rule that
 * calls tools would repeat forever.
 */
function findRule(rules: readonly ScriptRule[], { input, results }: TemplateData): ScriptRule | undefined {
  const matching = rules.filter((rule) => rule.when.test(input.slice(0, MAX_MATCHED)))
  const concluding = results.length > 0 ? matching.find((rule) => rule.call === undefined) : undefined
  return concluding ?? matching[0]
}

interface StepContext {
  readonly options: LanguageModelV4CallOptions
  /** Zero-based index. */
  readonly call: number
  readonly file: string
  readonly fill: (template: string) => string
}

async function playStep(step: ScriptStep, play: StepContext): Promise<EmbeddedAnswer> {
  const { prompt, abortSignal } = play.options
  if (step.delay !== undefined) await pause(step.delay, abortSignal)
  if (step.fail !== undefined) throw scriptError(step.fail, play.file)
  const text = step.say === undefined ? '' : play.fill(step.say)
  const calls = toCalls(step.call ?? [], play)
  const answer = text + calls.map((call) => call.input).join('')
  const usage = estimateUsage(prompt, { answer, ...(step.usage === undefined ? {} : { given: step.usage }) })
  return { text, calls, usage }
}

async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(ms, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

function toCalls(calls: readonly ScriptCall[], play: StepContext): readonly AnswerCall[] {
  const offered = new Set((play.options.tools ?? []).map((tool) => tool.name))
  return calls.map(({ tool, args }, index) => ({
    id: `call-${play.call + 1}-${index + 1}`,
    name: offeredToolName(tool, offered),
    input: typeof args === 'string' ? play.fill(args) : JSON.stringify(fillAll(args, play.fill)),
  }))
}

function fillAll(value: Json, fill: (template: string) => string): Json {
  if (typeof value === 'string') return fill(value)
  if (Array.isArray(value)) return (value as readonly Json[]).map((member) => fillAll(member, fill))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value as JsonObject).map(
    ([key, member]) => [key, fillAll(member, fill)] as const,
  )
  return Object.fromEntries(members)
}

function fill(
  template: string,
  at: { readonly data: TemplateData; readonly file: string; readonly location: string },
): string {
  const filled = fillTemplate(template, at.data)
  if ('problem' in filled) throw invalidScript(at.file, `${at.location}: ${filled.problem}`)
  return filled.text
}

function exhausted(
  { file, rules }: ModelScript,
  facts: { readonly agent: string; readonly steps: number; readonly call: number },
): Error {
  const { agent, steps, call } = facts
  const count = `${steps} ${steps === 1 ? 'step' : 'steps'}`
  const noRule = rules.length > 0 ? ' and no rule that matches' : ''
  return troupeError(
    'model_script_exhausted',
    `${file}: the script has ${count} for "${agent}"${noRule}; this is model call ${call} of the run.`,
  )
}

/** Creates the error that a provider's adapter would throw for the status. */
function scriptError(fail: ScriptFailure, file: string): APICallError {
  const { status, message, retryAfter } = fail
  return new APICallError({
    message: message ?? `The script returns an error with status ${status}.`,
    url: `script/${file}`,
    requestBodyValues: {},
    statusCode: status,
    responseHeaders: retryAfter === undefined ? {} : retryHeaders(retryAfter),
    isRetryable: status === 408 || status === 409 || status === 429 || status >= 500,
  })
}

/** Returns both headers that providers send: `retry-after` in whole seconds, `retry-after-ms` exactly. */
function retryHeaders(retryAfter: number): Record<string, string> {
  return { 'retry-after': String(Math.ceil(retryAfter / 1000)), 'retry-after-ms': String(retryAfter) }
}

/**
 * Returns the wire name of the offered tool with this wire or canonical name. Returns an unknown name
 * unchanged.
 */
function offeredToolName(name: string, offered: ReadonlySet<string>): string {
  const wire = toWireName(name)
  return [name, withHash(wire, name), wire].find((candidate) => offered.has(candidate)) ?? name
}
