import { readFile } from 'node:fs/promises'
import { defineTool } from '@troupe/schema'
import { z } from 'zod'

const updatesSchema = z.record(z.string(), z.string())

/** Looks up a project in `updates.json`, sample data that stands in for your tracker. */
export const project_update = defineTool({
  name: 'project_update',
  description: 'The latest update of a project or topic.',
  input: z.object({ project: z.string().describe('The name of the project or topic') }),
  effect: 'read',
  execute: async ({ project }) => {
    const file = new URL('updates.json', import.meta.url)
    const updates = new Map(Object.entries(updatesSchema.parse(JSON.parse(await readFile(file, 'utf8')))))
    return (
      updates.get(project) ?? `There is no update on ${project}. Known: ${[...updates.keys()].join(', ')}.`
    )
  },
})
