import { REASONING_LEVELS, type Reasoning } from '@troupe/schema'
import type { AnswerForm } from './structured/answer-form.ts'

/** Settings in the suffix of a model id, such as `?reasoning=low&structured=tool`. */
export interface SuffixSettings {
  readonly reasoning?: Reasoning
  readonly structured?: AnswerForm
}

/** Answer forms by our names and those of fast-agent. */
const FORMS: ReadonlyMap<string, AnswerForm> = new Map([
  ['native', 'native'],
  ['json', 'native'],
  ['tool', 'tool'],
  ['tool_use', 'tool'],
])
const KEYS = ['reasoning', 'structured'] as const

/** Parses the text after the `?`. Returns a problem in words if it is invalid. */
export function parseSuffix(suffix: string): {
  readonly settings?: SuffixSettings
  readonly problem?: string
} {
  let settings: SuffixSettings = {}
  for (const [key, value] of new URLSearchParams(suffix)) {
    const given = readSetting(key, value)
    if (typeof given === 'string') return { problem: given }
    settings = { ...settings, ...given }
  }
  return Object.keys(settings).length === 0 ? { problem: 'no setting stands behind the ?' } : { settings }
}

function readSetting(key: string, value: string): SuffixSettings | string {
  if (key === 'reasoning') return readReasoning(value)
  if (key === 'structured') return readForm(value)
  return `unknown setting "${key}"; there are ${KEYS.join(' and ')}`
}

function readReasoning(value: string): SuffixSettings | string {
  if (/^\d{1,7}$/u.test(value)) return { reasoning: Number(value) }
  const reasoning = REASONING_LEVELS.find((level) => level === value)
  return reasoning === undefined
    ? `reasoning "${value}" is none of ${REASONING_LEVELS.join(', ')}, and no number of tokens`
    : { reasoning }
}

function readForm(value: string): SuffixSettings | string {
  const structured = FORMS.get(value)
  return structured === undefined ? `structured "${value}" is neither native nor tool` : { structured }
}
