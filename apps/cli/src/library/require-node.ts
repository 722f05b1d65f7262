import { nodeProblem } from './node-version.ts'

// Imported first by each part of the library that needs Node, so that an old version of Node gets this sentence and no syntax error.
const problem = nodeProblem(process.versions.node)
if (problem !== undefined) throw new Error(problem)
