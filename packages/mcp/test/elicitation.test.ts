import { resultText, type PersonAnswer, type Question, type ToolContext } from '@troupe/schema'
import { describe, expect, it } from 'vitest'
import { startTeam } from './support/http-servers.ts'
import { call, leaseOf, testPool } from './support/test-pool.ts'

describe('a server that elicits input during a call', () => {
  it('a server that elicits input gets the answers of the person behind the call, by name and type', async () => {
    const person = personWho('answer', 'yes', '7', 'soon')
    expect(await confirm(person)).toEqual({
      action: 'accept',
      content: { yes: true, count: 7, note: 'soon' },
    })
    expect(person.asked).toEqual([
      {
        question: 'The MCP server "tm" asks: Sure? Requested: yes, count, note.',
        choices: ['answer', 'decline'],
      },
      { question: 'yes', choices: ['yes', 'no'] },
      { question: 'count (default: 3)' },
      { question: 'A note (optional)' },
    ])
  })

  it('a server that elicits input gets its own default for an empty answer, and no value for an optional field', async () => {
    const answers = personWho('answer', 'no', '', '')
    expect(await confirm(answers)).toEqual({ action: 'accept', content: { yes: false, count: 3 } })
  })

  it('a server that elicits input learns that the user declined or gave no usable answer', async () => {
    expect(await confirm(personWho('decline'))).toEqual({ action: 'decline' })
    const person = personWho('answer', 'yes', 'many', '0', '1.5')
    expect(await confirm(person)).toEqual({ action: 'cancel' })
    expect(person.asked.slice(3).map(({ question }) => question)).toEqual([
      'count (default: 3) – it is not a whole number',
      'count (default: 3) – it must be at least 1',
    ])
  })

  it('an elicitation is declined with a warning if no user is connected', async () => {
    const warnings: string[] = []
    const { url } = await startTeam({ legacy: 'reject' })
    const lease = await leaseOf(testPool(), { url }, { onWarning: (text) => void warnings.push(text) })
    expect(JSON.parse(resultText(await call(lease, 'confirm')))).toEqual({ action: 'decline' })
    expect(warnings).toEqual([
      'The MCP server "tm" requested input, which was declined: no user is connected. Its message: Sure?',
    ])
  })

  it('an elicitation is answered by the user of its own call if calls share a connection', async () => {
    const { url } = await startTeam({ legacy: 'reject' })
    const lease = await leaseOf(testPool(), { url })
    const people = [personWho('answer', 'yes', '1', ''), personWho('answer', 'yes', '2', '')]
    const results = await Promise.all(people.map((person) => call(lease, 'confirm', {}, person)))
    expect(results.map((result) => JSON.parse(resultText(result)).content.count)).toEqual([1, 2])
  })
})

interface Person extends Pick<ToolContext, 'ask'> {
  readonly asked: Question[]
}

function personWho(...answers: readonly string[]): Person {
  const left = [...answers]
  const asked: Question[] = []
  return {
    asked,
    ask: (question) => {
      asked.push(question)
      const text = left.shift()
      const answer: PersonAnswer =
        text === undefined ? { answered: false, reason: 'left' } : { answered: true, text }
      return Promise.resolve(answer)
    },
  }
}

async function confirm(person: Person): Promise<unknown> {
  const { url } = await startTeam({ legacy: 'reject' })
  const lease = await leaseOf(testPool(), { url })
  return JSON.parse(resultText(await call(lease, 'confirm', {}, { ask: person.ask })))
}
