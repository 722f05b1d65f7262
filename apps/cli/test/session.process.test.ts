import { startFakeAnthropic } from '@troupe/testkit'
import { verifies } from '@troupe/testkit/internal'
import { expect, it, onTestFinished } from 'vitest'
import { startProgram } from './start-program.ts'
import { project } from './team.ts'

const CARD = '---\nname: Talker\ndescription: Talks.\nmodel: anthropic/some-model\n---\nTalk.\n'

it(
  `a conversation continues in the next process, and its model receives all earlier messages ${verifies('D52')}`,
  { timeout: 60_000 },
  async () => {
    let count = 0
    const fake = await startFakeAnthropic({ answers: () => ({ text: `answer ${(count += 1)}` }) })
    onTestFinished(() => fake.close())
    const { path } = await project({ 'talker.md': CARD })
    const say = async (message: string, ...options: readonly string[]) => {
      const env = ['--env', 'ANTHROPIC_API_KEY=key', '--env', `ANTHROPIC_BASE_URL=${fake.baseURL}`]
      const program = startProgram(['run', 'talker.md', message, ...env, ...options], path)
      const [code] = await program.ends()
      return { code, out: program.out(), err: program.err() }
    }
    expect(await say('one', '--session', 'trip', '--quiet')).toMatchObject({ code: 0, out: 'answer 1\n' })
    const second = await say('two', '--session', 'trip', '--json')
    expect(JSON.parse(second.out)).toMatchObject({ sessionId: 'trip', output: { text: 'answer 2' } })
    expect(fake.requests.at(-1)?.body).toMatchObject({
      messages: [
        { role: 'user', content: [{ text: 'one' }] },
        { role: 'assistant', content: [{ text: 'answer 1' }] },
        { role: 'user', content: [{ text: 'two' }] },
      ],
    })
    const list = startProgram(['runs', 'list', '--session', 'trip', '--json'], path)
    await list.ends()
    expect(JSON.parse(list.out())).toMatchObject([
      { sessionId: 'trip', principal: 'local', input: 'two' },
      { sessionId: 'trip', principal: 'local', input: 'one' },
    ])
    expect((await say('x', '--session', 'trip', '--no-store')).code).toBe(2)
  },
)
