import type { AnyChunk, TaskUpdateChunk } from '@slack/types'
import type { RunEvent, RunReport } from '@troupe/schema'
import { HOSTILE_TEXTS, sampleEvent } from '@troupe/testkit/internal'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { approvalText, decidedText } from '../src/view/control-blocks.ts'
import {
  answerChunks,
  continueAnswer,
  emptyAnswer,
  endAnswer,
  reduceAnswer,
  openFence,
} from '../src/view/answer-view.ts'
import { escapeSlack, unescapeSlack } from '../src/view/slack-text.ts'
import { hideChunks } from '../src/view/hide-chunks.ts'

const ROOT = { runId: 'root', rootRunId: 'root' }
const CLOSED = new Set(['complete', 'error'])
/** Replaces a secret with a name that is longer than it. */
const hide = (text: string): string => text.replaceAll('k3y', '[redacted:A_LONG_NAME]')

const piece = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.constantFrom(...Object.values(HOSTILE_TEXTS).flatMap((texts) => texts.map(({ text }) => text))),
  fc.constantFrom(
    '```',
    '```ts\n',
    '\n```\n',
    '~~~\n',
    '````\n',
    '<!channel>',
    '<@U1>',
    '&amp;',
    '> q\n',
    'k3y',
    '\n',
  ),
  fc.nat({ max: 3000 }).map((length) => 'word & <more>\n'.repeat(Math.ceil(length / 14))),
)

/** The output of a run, in a valid order: turns with text, and child calls in them. */
const turn = fc.record({
  texts: fc.array(piece, { maxLength: 8 }),
  calls: fc.array(
    fc.record({
      instance: piece,
      input: piece,
      output: piece,
      stage: fc.constantFrom('called', 'started', 'done', 'failed'),
    }),
    { maxLength: 6 },
  ),
})
type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never

function eventsOf(turns: readonly Turn[]): readonly RunEvent[] {
  return turns.flatMap(({ texts, calls }, at) => [
    sampleEvent('turn-start', { ...ROOT, turn: at + 1 }),
    ...texts.map((text) => sampleEvent('text-delta', { ...ROOT, text })),
    ...calls.flatMap((call, index) => callEvents(call, `call-${at}-${index}`)),
  ]) as readonly RunEvent[]
}

function callEvents(
  { instance, input, output, stage }: Turn['calls'][number],
  callId: string,
): readonly object[] {
  const place = { ...ROOT, callId, toolName: 'agent__Child' }
  const content = [{ type: 'text' as const, text: output }]
  const outcome = stage === 'done' ? ('completed' as const) : ('failed' as const)
  const all = [
    sampleEvent('tool-call', { ...place, childInstance: instance, args: { text: input } }),
    sampleEvent('tool-start', place),
    sampleEvent('tool-result', { ...place, outcome, content }),
  ]
  return all.slice(0, { called: 1, started: 2, done: 3, failed: 3 }[stage])
}

const ending = fc.record({
  outcome: fc.constantFrom<RunReport['outcome']>('completed', 'partial', 'failed', 'cancelled', 'budget'),
  text: piece,
})

/** Returns the messages that Slack receives if the view is updated after the events that `updated` selects, and at the end. */
function messagesOf(
  turns: readonly Turn[],
  { outcome, text }: { readonly outcome: RunReport['outcome']; readonly text: string },
  updated: readonly boolean[],
): readonly AnyChunk[][] {
  const first = emptyAnswer({ streams: true })
  let [sent, view] = [first, first]
  const messages: AnyChunk[][] = []
  for (const [at, event] of eventsOf(turns).entries()) {
    view = reduceAnswer(view, event)
    if (updated[at % updated.length] !== true) continue
    messages.push(hideChunks(answerChunks(sent, view), hide))
    sent = view
  }
  const report = { outcome, output: { format: 'text' as const, text } }
  return [...messages, hideChunks(answerChunks(sent, endAnswer(view, report, hide)), hide)]
}

function markdownOf(chunks: readonly AnyChunk[]): string {
  return chunks.map((chunk) => (chunk.type === 'markdown_text' ? chunk.text : '')).join('')
}

const updated = fc.array(fc.boolean(), { minLength: 1, maxLength: 10 })
const turns = fc.array(turn, { maxLength: 5 })

describe('the messages of a run', () => {
  it('the messages of any run respect the limits of Slack, close their code blocks, and mention no one', () => {
    fc.assert(
      fc.property(turns, ending, updated, (run, end, times) => {
        const whole = markdownOf(messagesOf(run, end, times).flat())
        expect(whole.length).toBeLessThanOrEqual(12_000)
        expect(openFence(whole)).toBeUndefined()
        expect(whole).not.toContain('<')
        expect(whole).not.toMatch(/&(?!(?:amp|lt|gt);)/u)
        expect(whole.isWellFormed()).toBe(run.every(isWellFormed) && end.text.isWellFormed())
      }),
    )
  })

  it('the messages of any run leave no open row and no row text that Slack rejects', () => {
    fc.assert(
      fc.property(turns, ending, updated, (run, end, times) => {
        const rows = messagesOf(run, end, times)
          .flat()
          .filter((chunk): chunk is TaskUpdateChunk => chunk.type === 'task_update')
        for (const { title, details = '', output = '' } of rows)
          for (const text of [title, details, output]) {
            expect(text.length).toBeLessThanOrEqual(256)
            expect(text).not.toContain('<')
          }
        const last = new Map(rows.map(({ id, status }) => [id, status]))
        expect([...last.values()].filter((status) => !CLOSED.has(status))).toEqual([])
      }),
    )
  })

  it('the final message is the same, however often it is updated', () => {
    fc.assert(
      fc.property(turns, ending, updated, (run, end, times) => {
        const calm = { ...end, text: '' }
        const plain = (each: readonly boolean[]): string =>
          markdownOf(messagesOf(run, calm, each).flat()).replaceAll(hide('k3y'), 'k3y')
        expect(plain(times)).toBe(plain([false]))
      }),
    )
  })
})

function isWellFormed({ texts }: Turn): boolean {
  return texts.every((text) => text.isWellFormed())
}

describe('a text continued in another message', () => {
  it('a continued message starts with its open code block', () => {
    fc.assert(
      fc.property(fc.array(piece), piece, (before, after) => {
        const say = (texts: readonly string[]) =>
          texts.reduce(
            (view, text) => reduceAnswer(view, sampleEvent('text-delta', { ...ROOT, text }) as RunEvent),
            emptyAnswer({ streams: true }),
          )
        const [sent, now] = [say(before), say([...before, after])]
        const rest = markdownOf(answerChunks(continueAnswer(sent), now))
        const fence = openFence(sent.shown)
        if (fence === undefined || rest === '') return
        expect(rest.startsWith(`${fence}\n`)).toBe(true)
      }),
    )
  })
})

describe('escaping', () => {
  it('escaped text reads as the original and contains no mention and no link', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.boolean(), (text, atLineStart) => {
        const escaped = escapeSlack(text, { atLineStart })
        expect(unescapeSlack(escaped)).toBe(text)
        expect(escaped).not.toContain('<')
      }),
    )
  })

  it('escaping in pieces equals escaping at once', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (pieces) => {
        let shown = ''
        for (const text of pieces)
          shown += escapeSlack(text, { atLineStart: shown === '' || shown.endsWith('\n') })
        expect(shown).toBe(escapeSlack(pieces.join('')))
      }),
    )
  })
})

describe('a question about a tool', () => {
  it('an approval request leaves room for the decision, whatever the call is', () => {
    for (const sign of ['<', '&', '*', '>', 'x']) {
      const long = sign.repeat(2000)
      const names = { instance: long, toolName: long, reason: long }
      const text = approvalText({ approvalId: 'a', runId: 'r', agent: 'A', ...names, args: { to: long } })
      const decided = decidedText({ decision: 'approved', reason: 'by <@U0ANN0ANN0ANN>' })
      expect(`${text}\n${decided}`.length).toBeLessThanOrEqual(3000)
      // escaped, only the plain letters fit
      const note = sign === 'x' ? '' : '\n:warning: The call is longer than Slack can show.'
      expect(text.endsWith(`\`\`\`${note}`)).toBe(true)
    }
  })

  it('an approval request mentions no one and stays in its code block', () => {
    fc.assert(
      fc.property(piece, piece, fc.dictionary(piece, piece), (instance, toolName, args) => {
        const asked = { approvalId: 'a', runId: 'r', agent: 'A', instance, toolName, args }
        const text = approvalText(asked)
        expect(text).not.toMatch(/<[!@#]/u)
        expect(text.match(/```/gu)?.length).toBe(Object.keys(args).length === 0 ? undefined : 2)
      }),
    )
  })
})
