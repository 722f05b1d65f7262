// A worker of a fan-out that is written directly on DBOS: one workflow for the parent, one of a single step for a child.
import { argv, pid, stderr } from 'node:process'
import { DBOS } from '@dbos-inc/dbos-sdk'
import { ANSWER, READY, SLOTS } from './fan-out-peer.ts'

const [, , url = ''] = argv

const child = DBOS.registerWorkflow(
  (text: string): Promise<string> => DBOS.runStep(async () => ANSWER + text, { name: 'answer' }),
  { name: 'child' },
)

DBOS.registerWorkflow(
  async (count: number): Promise<readonly string[]> => {
    const handles = []
    for (let index = 0; index < count; index += 1)
      handles.push(await DBOS.startWorkflow(child, { queueName: 'children' })(`n${index}`))
    return Promise.all(handles.map((handle) => handle.getResult()))
  },
  { name: 'parent' },
)

DBOS.setConfig({
  name: 'peer',
  systemDatabaseUrl: url,
  executorID: String(pid),
  applicationVersion: 'peer-1',
  listenQueues: ['parents', 'children'],
  runMigrations: false,
  enableOTLP: false,
})
await DBOS.launch()
for (const queue of ['parents', 'children'])
  await DBOS.registerQueue(queue, {
    workerConcurrency: SLOTS,
    minPollingIntervalMs: 50,
    onConflict: 'always_update',
  })
stderr.write(`${READY}\n`)
