export { createDbosDispatcher, type DbosDispatcherOptions } from './dispatch/create-dispatcher.ts'
export type { QueueLimits } from './tasks/run-queues.ts'
export { isWorkerRun, readWorkerOverview, type WorkerOverview } from './tasks/worker-overview.ts'
export { startWorker, type Worker, type WorkerOptions } from './worker/start-worker.ts'
