export { openSession, type Session, type SessionOptions } from '@troupe/core'
export type { Host, HostOptions, RunAgent } from '@troupe/host'
export { defineAgent, defineHook, defineTool, type RunReport } from '@troupe/schema'
export { createHost, type LibraryOptions } from './create-host.ts'
