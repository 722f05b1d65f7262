import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** What the tree of layers in a page says wrongly of the packages and apps, in lines for a person. */
export function layerProblems(page: string, root: string): readonly string[] {
  const told = toldLayers(page)
  const real = realLayers(root)
  const missing = [...real].filter(([name, layer]) => told.get(name) !== layer)
  const gone = [...told.keys()].filter((name) => !real.has(name))
  return [
    ...missing.map(([name, layer]) => `the tree does not show ${name} in the layer ${layer}`),
    ...gone.map((name) => `the tree shows ${name}, which is not there`),
  ]
}

/** The rows of the tree that name packages: the layer, and its packages by name. Folders beside them end in a slash. */
function toldLayers(page: string): ReadonlyMap<string, string> {
  const rows = page.matchAll(/^ {4}(?<layer>\w+) {2,}(?<names>.+)$/gmu)
  return new Map(
    [...rows].flatMap(({ groups: { layer = '', names = '' } = {} }) =>
      [...names.matchAll(/(?:^| {2,})(?<name>[\w-]+)(?![\w/-])/gu)].map(
        ({ groups }) => [groups?.['name'] ?? '', layer] as const,
      ),
    ),
  )
}

/** The layer of each package and app by its tag, which `turbo boundaries` goes by. */
function realLayers(root: string): ReadonlyMap<string, string> {
  const files = globSync('{packages,apps}/*/turbo.json', { cwd: root })
  return new Map(
    files.map((file) => {
      const { tags } = JSON.parse(readFileSync(path.join(root, file), 'utf8')) as {
        readonly tags: readonly [string]
      }
      return [path.basename(path.dirname(file)), tags[0]]
    }),
  )
}
