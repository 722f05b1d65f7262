import { join } from 'node:path'
import { readCard, type ParsedCard } from '@troupe/cards'
import type { HttpToolUse, JsonObject } from '@troupe/schema'
import { tempProject } from '@troupe/testkit/internal'
import { expect, onTestFinished } from 'vitest'
import { CARD_FORMATS } from '../../src/index.ts'

/** Reads `team/a.ai` of a project whose folders are the workspace, `team` and `home`. */
export async function read(
  files: Readonly<Record<string, unknown>>,
): Promise<ParsedCard & { readonly folder: string }> {
  const texts = Object.entries(files).map(([path, content]) => [
    path,
    typeof content === 'string' ? content : JSON.stringify(content),
  ])
  const project = await tempProject(Object.fromEntries(texts) as Record<string, string>)
  onTestFinished(() => project.remove())
  const card = readCard(join(project.path, 'team/a.ai'), {
    formats: CARD_FORMATS,
    workspace: project.path,
    home: join(project.path, 'home'),
    now: new Date('2026-03-04T22:00:00Z'),
  })
  return { ...card, folder: project.path }
}

/** Returns a prompt of ai-agent. */
export const ai = (keys: string, body = 'Help.'): string => `---\ndescription: d\n${keys}\n---\n${body}\n`

/** The prompt of an agent with the tools of the document `shop`. */
export const SHOP_CARD = '---\ndescription: d\ntools: openapi:shop\n---\nHelp.\n'

/** Reads a card that uses `openapi:shop`, whose document is `shop.json` or the named file. */
export async function readShop(
  document: JsonObject | string,
  {
    settings = {},
    file = 'shop.json',
    card = SHOP_CARD,
  }: { readonly settings?: JsonObject; readonly file?: string; readonly card?: string } = {},
): Promise<ParsedCard> {
  const config = {
    openapiSpecs: { shop: { spec: `./${file}`, baseUrl: 'https://shop.example/v1', ...settings } },
  }
  const project = await tempProject({
    'a.ai': card,
    '.ai-agent.json': JSON.stringify(config),
    [file]: typeof document === 'string' ? document : JSON.stringify(document),
  })
  onTestFinished(() => project.remove())
  return readCard(join(project.path, 'a.ai'), { formats: CARD_FORMATS, workspace: project.path })
}

/** Returns the HTTP tools of a card without errors. */
export function toolsOf({ definition, problems }: ParsedCard): readonly HttpToolUse[] {
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([])
  return (definition?.functionTools ?? []) as readonly HttpToolUse[]
}

/** Returns the tool of an operation. */
export async function toolOf(
  operation: JsonObject,
  path = '/things',
  more: JsonObject = {},
): Promise<HttpToolUse> {
  const card = await readShop({ openapi: '3.1.0', paths: { [path]: { post: operation } }, ...more })
  const [tool] = toolsOf(card)
  expect(card.problems).toEqual([])
  return tool as HttpToolUse
}

/** A parameter of an operation. */
export const ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } } as const
