import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CARD_FORMATS } from '@troupe/card-formats'
import { readCardFolder } from '@troupe/cards'
import matter from 'gray-matter'
import { z } from 'zod'
import type { CardReader } from '../measures/cards.ts'

/** The cards package as the host uses it. */
export const readCards: CardReader = (folder) =>
  readCardFolder(folder, { formats: CARD_FORMATS }).map(({ definition, problems }) => {
    assert.equal(problems.length, 0)
    return definition?.name ?? ''
  })

/** The usual few lines: gray-matter, then one zod schema made once. An options argument keeps gray-matter from caching. */
export const readWithGrayMatter: CardReader = (folder) =>
  readdirSync(folder)
    .toSorted()
    .map((file) => {
      const { data, content } = matter(readFileSync(join(folder, file), 'utf8'), {})
      return card.parse({ ...(data as object), instruction: content }).name
    })

const names = z.array(z.string())

const card = z.strictObject({
  name: z.string().min(1),
  description: z.string(),
  usage: z.string(),
  version: z.string(),
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
