// The usual few lines to read agent files: gray-matter, then one zod schema. An options argument turns off the cache of gray-matter.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import matter from 'gray-matter'
import { z } from 'zod'

const names = z.array(z.string())
const card = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  usage: z.string(),
  version: z.string(),
  default: z.boolean(),
  model: z.union([z.string(), names]),
  temperature: z.number().min(0),
  maxOutputTokens: z.int().min(1),
  servers: names,
  tools: z.record(z.string(), names),
  limits: z.strictObject({
    maxTurns: z.int().min(1),
    toolTimeout: z.union([z.number(), z.string()]),
    maxParallel: z.int().min(1),
  }),
  historyMode: z.enum(['scratch', 'fork', 'fork_and_merge']),
  toolPermission: z.enum(['always', 'tool', 'never']),
  requiresApproval: names,
  env: names,
  instruction: z.string().min(1),
})

const folder = process.argv[2]
for (const file of readdirSync(folder).toSorted()) {
  if (!file.endsWith('.md')) continue
  const { data, content } = matter(readFileSync(join(folder, file), 'utf8'), {})
  process.stdout.write(`${card.parse({ ...data, instruction: content }).name}\n`)
}
