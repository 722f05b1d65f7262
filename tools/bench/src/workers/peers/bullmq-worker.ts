// A worker of a fan-out that is written directly on BullMQ: a flow of a parent and its children.
import { argv, stderr } from 'node:process'
import { Worker } from 'bullmq'
import { ANSWER, READY, SLOTS } from './fan-out-peer.ts'

const [, , url = ''] = argv
const { hostname: host, port } = new URL(url)
const connection = { host, port: Number(port), maxRetriesPerRequest: null }

const children = new Worker<{ readonly text: string }, string>(
  'children',
  async ({ data }) => ANSWER + data.text,
  { connection, concurrency: SLOTS },
)
const parents = new Worker<{ readonly count: number }, readonly string[]>(
  'parents',
  async (job) => Object.values(await job.getChildrenValues<string>()),
  { connection, concurrency: SLOTS },
)
await Promise.all([children.waitUntilReady(), parents.waitUntilReady()])
stderr.write(`${READY}\n`)
