import type { ScriptedPart } from '@troupe/testkit'
import { oneAgent } from '@troupe/testkit/teams'
import { serveKept } from '../support/serve-kept.ts'

/** A process that serves one agent: `<folder> <api of Slack> <app token> <answer, or nothing for a model that never answers>`. */
const [folder = '', apiUrl = '', appToken = '', answer] = process.argv.slice(2)

const BEGUN: readonly ScriptedPart[] = [
  { type: 'stream-start', warnings: [] },
  { type: 'text-start', id: 'text' },
  { type: 'text-delta', id: 'text', delta: 'I begin' },
]
const never = new Promise<void>(() => undefined)
const team = oneAgent(() => (answer === undefined ? { parts: [...BEGUN, never] } : { text: answer }))

await serveKept(team, { folder, apiUrl, appToken })
