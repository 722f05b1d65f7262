import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Returns a message for each difference between the layer tree of a page and the packages and apps. */
export function layerProblems(page: string, root: string): readonly string[] {
  const shown = shownLayers(page)
  const real = realLayers(root)
  const missing = [...real].filter(([name, layer]) => shown.get(name) !== layer)
  const gone = [...shown.keys()].filter((name) => !real.has(name))
  return [
    ...missing.map(([name, layer]) => `the tree does not show ${name} in the layer ${layer}`),
    ...gone.map((name) => `the tree shows ${name}, which is not there`),
  ]
}

/** Reads the layer of each package from the tree of a page. Folders that are not packages end in a slash. */
function shownLayers(page: string): ReadonlyMap<string, string> {
  const rows = page.matchAll(/^ {4}(?<layer>\w+) {2,}(?<names>.+)$/gmu)
  return new Map(
    [...rows].flatMap(({ groups: { layer = '', names = '' } = {} }) =>
      [...names.matchAll(/(?:^| {2,})(?<name>[\w-]+)(?![\w/-])/gu)].map(
        ({ groups }) => [groups?.['name'] ?? '', layer] as const,
      ),
    ),
  )
}

/** Reads the layer of each package and app from the tag that `turbo boundaries` checks. */
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
