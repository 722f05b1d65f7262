import { FlowProducer, QueueEvents } from 'bullmq'
import { startPeerWorker, type FanOutPeer } from './fan-out-peer.ts'

/** Opens the fan-out on BullMQ. `url` is the address of an empty Redis server. */
export async function openBullmqPeer(url: string): Promise<FanOutPeer> {
  const { hostname: host, port } = new URL(url)
  const connection = { host, port: Number(port), maxRetriesPerRequest: null }
  const flows = new FlowProducer({ connection })
  const events = new QueueEvents('parents', { connection })
  await events.waitUntilReady()
  return {
    name: 'BullMQ',
    startWorker: () => startPeerWorker('bullmq-worker.ts', url),
    async fanOut(count) {
      const { job } = await flows.add({
        name: 'parent',
        queueName: 'parents',
        data: { count },
        children: Array.from({ length: count }, (_, index) => ({
          name: 'child',
          queueName: 'children',
          data: { text: `n${index}` },
        })),
      })
      return (await job.waitUntilFinished(events)) as readonly string[]
    },
    async close() {
      await events.close()
      await flows.close()
    },
  }
}
