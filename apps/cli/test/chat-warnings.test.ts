import { describe, expect, it } from 'vitest'
import { createChatWarnings } from '../src/chat/chat-warnings.ts'
import { testContext } from './test-context.ts'

const PRICE = 'The price of test/m is unknown, so its calls do not count against maxCost.'

describe('warnings of a chat', () => {
  it('a warning of a chat is printed only in its first turn, whatever the index of the instance', () => {
    const { terminal, err } = testContext()
    const warn = createChatWarnings(terminal)
    warn([`calculator: ${PRICE}`])
    warn([`calculator[2]: ${PRICE}`, 'calculator[2]: Something else.'])
    expect(err()).toBe(`warning: calculator: ${PRICE}\nwarning: calculator[2]: Something else.\n`)
  })

  it('warnings of a chat are wrapped between words on a terminal', () => {
    const { terminal, err } = testContext({ tty: true, columns: 40, env: { NO_COLOR: '1' } })
    createChatWarnings(terminal)([`calculator: ${PRICE}`])
    const lines = err().trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect(line.length).toBeLessThan(40)
    expect(lines.join(' ')).toBe(`warning: calculator: ${PRICE}`)
  })
})
