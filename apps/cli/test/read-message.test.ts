import { describe, expect, it } from 'vitest'
import { exampleMessage, readMessage } from '../src/input/read-message.ts'
import { testContext } from './test-context.ts'

describe('readMessage', () => {
  it('readMessage joins the words', async () => {
    expect(await readMessage(['What', 'time?'], testContext({ input: 'ignored' }))).toBe('What time?')
  })

  it('readMessage without words reads stdin, without the last line break and the byte order mark', async () => {
    expect(await readMessage([], testContext({ input: '\uFEFFone\ntwo\r\n' }))).toBe('one\ntwo')
  })

  it('readMessage appends stdin to the words if one is -', async () => {
    expect(await readMessage(['Be', 'strict:', '-'], testContext({ input: 'diff\n' }))).toBe(
      'Be strict:\n\ndiff',
    )
    expect(await readMessage(['-'], testContext({ input: 'only this' }))).toBe('only this')
  })

  it('readMessage does not read from a terminal', async () => {
    expect(await readMessage([], testContext({ tty: true }))).toBeUndefined()
  })

  it('readMessage returns undefined without words and without piped input', async () => {
    expect(await readMessage([], testContext({ input: '' }))).toBeUndefined()
  })

  it('exampleMessage returns the usage example of the card', () => {
    const input = { format: 'text' } as const
    expect(exampleMessage({ name: 'A', usage: 'Hi', input })).toBe('Hi')
    expect(() => exampleMessage({ name: 'A', input })).toThrow(
      expect.objectContaining({ code: 'usage_invalid' }),
    )
  })

  it('exampleMessage returns no message for a card with a first message of its own', () => {
    const input = { format: 'text', message: 'Begin.' } as const
    expect(exampleMessage({ name: 'A', usage: 'Hi', input })).toBe('')
  })

  it.each([
    ['', ['-']],
    [' \n', []],
    [' \n', ['-']],
    ['x', ['']],
  ])('readMessage rejects an empty message', async (input, words) => {
    await expect(readMessage(words, testContext({ input }))).rejects.toMatchObject({ code: 'usage_invalid' })
  })

  it('readMessage ends if the program is stopped while it reads', async () => {
    const context = testContext({ tty: true })
    const reading = readMessage(['-'], context)
    context.stop.request('SIGINT')
    await expect(reading).rejects.toMatchObject({ code: 'run_cancelled' })
  })
})
