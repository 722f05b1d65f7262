import { describe, expect, it } from 'vitest'
import { exampleMessage, readMessage } from '../src/input/read-message.ts'
import { testContext } from './test-context.ts'

describe('readMessage', () => {
  it('joins the words', async () => {
    expect(await readMessage(['What', 'time?'], testContext({ input: 'ignored' }))).toBe('What time?')
  })

  it('reads stdin without words, without its last line break and byte order mark', async () => {
    expect(await readMessage([], testContext({ input: '\uFEFFone\ntwo\r\n' }))).toBe('one\ntwo')
  })

  it('adds stdin to the words where there is a -', async () => {
    expect(await readMessage(['Be', 'strict:', '-'], testContext({ input: 'diff\n' }))).toBe(
      'Be strict:\n\ndiff',
    )
    expect(await readMessage(['-'], testContext({ input: 'only this' }))).toBe('only this')
  })

  it('does not wait for a person to type', async () => {
    expect(await readMessage([], testContext({ tty: true }))).toBeUndefined()
  })

  it('has none where nothing was written and nothing was piped in', async () => {
    expect(await readMessage([], testContext({ input: '' }))).toBeUndefined()
  })

  it('has the example of a card where nobody said anything', () => {
    expect(exampleMessage({ name: 'A', usage: 'Hi' })).toBe('Hi')
    expect(() => exampleMessage({ name: 'A' })).toThrow(expect.objectContaining({ code: 'usage_invalid' }))
  })

  it.each([
    ['', ['-']],
    [' \n', []],
    [' \n', ['-']],
    ['x', ['']],
  ])('refuses an empty message', async (input, words) => {
    await expect(readMessage(words, testContext({ input }))).rejects.toMatchObject({ code: 'usage_invalid' })
  })

  it('ends when the program is stopped while it reads', async () => {
    const context = testContext({ tty: true })
    const reading = readMessage(['-'], context)
    context.stop.request('SIGINT')
    await expect(reading).rejects.toMatchObject({ code: 'run_cancelled' })
  })
})
