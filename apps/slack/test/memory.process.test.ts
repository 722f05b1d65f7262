import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { tempProject } from '@troupe/testkit/internal'
import { mentionPayload, startFakeSlack, type FakeSlack } from '@troupe/testkit/slack'
import { expect, it, onTestFinished } from 'vitest'
import { writtenNow } from './support/serve-slack.ts'

const PROGRAM = join(import.meta.dirname, 'memory/heap-program.ts')
const THREADS = 200
const ROUNDS = 3
/** Rounds in which code is compiled and pools fill up. */
const WARM_UP = 3
/** Bytes; a leaked thread keeps tens of kilobytes: a run with its events, a view, a stream. */
const MOST_GROWTH_PER_THREAD = 1024

function start(slack: FakeSlack, folder: string): ChildProcess {
  const flags = ['--conditions=@troupe/source', '--expose-gc']
  const child = spawn(process.execPath, [...flags, PROGRAM, folder, slack.apiUrl, slack.appToken], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const exited = once(child, 'exit')
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return child
}

async function heapOf(child: ChildProcess): Promise<number> {
  child.send('heap')
  const [bytes] = (await once(child, 'message')) as [number]
  return bytes
}

/** Sends a question in so many threads at once and waits until all are answered. Returns the answers by thread. */
async function ask(slack: FakeSlack, round: number): Promise<ReadonlyMap<string | undefined, string>> {
  const numbers = Array.from({ length: THREADS }, (_, index) => index)
  const threads = new Set(numbers.map((number) => `${round}.${number}`))
  await Promise.all(
    numbers.map((number) => {
      const said = { text: `<@U0BOT> number ${round}-${number}`, ts: `${round}.${number}` }
      return slack.socket.send('events_api', mentionPayload(writtenNow(said)))
    }),
  )
  const own = () => slack.messages().filter(({ threadTs = '' }) => threads.has(threadTs))
  await slack.until(() => own().length === THREADS && own().every(({ state }) => state === 'complete'))
  return new Map(own().map(({ threadTs, text }) => [threadTs, text]))
}

it(
  'memory returns to its previous level after 600 threads with their own answers',
  { timeout: 300_000 },
  async () => {
    const slack = await startFakeSlack()
    const project = await tempProject({})
    onTestFinished(async () => {
      await slack.close()
      await project.remove()
    })
    const child = start(slack, project.path)
    for (let round = 1; round <= WARM_UP; round += 1) await ask(slack, 100 + round)
    const before = await heapOf(child)
    for (let round = 1; round <= ROUNDS; round += 1)
      for (const [thread = '', text] of await ask(slack, 200 + round))
        expect(text).toBe(`I ask.\n\nYou said number ${thread.replace('.', '-')}.`)
    const growth = (await heapOf(child)) - before
    expect(growth / (THREADS * ROUNDS)).toBeLessThan(MOST_GROWTH_PER_THREAD)
  },
)
