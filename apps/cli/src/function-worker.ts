import { provideModules } from './provided-modules.ts'

// Functions in a worker thread may import the same modules as in the main thread.
provideModules()
await import('@troupe/tools/function-worker')
