#!/usr/bin/env node
import module from 'node:module'
import { nodeProblem } from './node-version.ts'

const problem = nodeProblem(process.versions.node)
if (problem === undefined) {
  module.enableCompileCache?.()
  await import('./main.ts')
} else {
  console.error(problem)
  process.exitCode = 2
}
