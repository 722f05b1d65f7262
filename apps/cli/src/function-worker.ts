import { provideModules } from './provided-modules.ts'

// functions in a thread may import what those of the main thread may
provideModules()
await import('@troupe/tools/function-worker')
