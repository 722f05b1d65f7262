#!/usr/bin/env node
import module from 'node:module'
import { nodeProblem } from './library/node-version.ts'

/** Time in ms after which a process that still runs saves its compiled modules for the next start. */
const FLUSH_MS = 5000

const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  module.enableCompileCache?.()
  // a process that is killed does not save what it compiled
  setTimeout(() => module.flushCompileCache?.(), FLUSH_MS).unref()
  await import('./main.ts')
} else {
  console.error(problem)
  process.exitCode = 2
}
