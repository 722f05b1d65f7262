import tailwind from '@tailwindcss/vite'
import { compressFolder } from '@troupe/tooling/compress-folder'
import react from '@vitejs/plugin-react'
import { createHash } from 'node:crypto'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { build, defaultClientConditions, defineConfig, type Plugin } from 'vite'

/** The page as static files: relative addresses, nothing inline, so that it runs under a strict Content-Security-Policy. */
export default defineConfig({
  base: './',
  plugins: [react(), tailwind(), finishBuild()],
  resolve: { conditions: ['@troupe/source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    target: 'es2023',
    // fonts are files too: a data address would need a looser policy
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // in kB, before compression
    chunkSizeWarningLimit: 600,
    // React changes less often than the page. Other libraries belong to the pages that use them. What later pages
    // share is in few files, because a browser loads six at once.
    rolldownOptions: {
      output: {
        chunkFileNames: ({ name }) => `assets/${name.startsWith('shared~') ? 'shared' : '[name]'}-[hash].js`,
        codeSplitting: {
          includeDependenciesRecursively: false,
          groups: [
            { name: 'react', test: /node_modules\/(?:react|react-dom|scheduler)\//u },
            { name: 'icons', test: /node_modules\/lucide-react\//u, minShareCount: 2 },
            {
              name: (id, graph) => (isOfFirstPage(id, graph) ? null : 'shared'),
              minShareCount: 2,
              entriesAware: true,
              entriesAwareMergeThreshold: 20_000,
            },
          ],
        },
      },
    },
    license: { fileName: 'third-party-notices.md' },
  },
})

/** Returns true if a module is loaded with the first page, because static imports lead to it. */
function isOfFirstPage(id: string, graph: ModuleGraph, seen = new Set<string>()): boolean {
  if (seen.has(id)) return false
  seen.add(id)
  const module = graph.getModuleInfo(id)
  if (module === null) return false
  return module.isEntry || module.importers.some((importer) => isOfFirstPage(importer, graph, seen))
}

interface ModuleGraph {
  getModuleInfo(id: string): { readonly isEntry: boolean; readonly importers: readonly string[] } | null
}

/** Builds the program of the frame for diagrams, and compresses all files, from which the server chooses by what a browser takes. */
function finishBuild(): Plugin {
  let folder = ''
  let root = ''
  return {
    name: 'finish-build',
    apply: 'build',
    configResolved(config) {
      root = config.root
      folder = resolve(root, config.build.outDir)
    },
    async closeBundle() {
      await buildDiagramFrame(root, folder)
      await compressFolder(folder)
    },
  }
}

/** Parts of Mermaid for formulas, architecture diagrams and the ELK layout, which are shown as code. */
const LEFT_OUT = /^(?:elkjs|cytoscape|katex)/u

/**
 * Builds `diagram.html`: one file with its script, because the frame has no origin and may load nothing. The policy
 * allows this script alone, so that nothing in a diagram runs.
 */
async function buildDiagramFrame(root: string, outDir: string): Promise<void> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    plugins: [
      {
        name: 'leave-out',
        enforce: 'pre',
        resolveId: (id) => (LEFT_OUT.test(id) ? `\0left-out:${id}` : undefined),
        load: (id) =>
          id.startsWith('\0left-out:')
            ? "throw new Error('This kind of diagram is not supported.')\nexport default undefined"
            : undefined,
      },
    ],
    build: {
      outDir,
      emptyOutDir: false,
      copyPublicDir: false,
      target: 'es2023',
      chunkSizeWarningLimit: 3500,
      lib: {
        entry: resolve(root, 'src/diagram/frame.ts'),
        formats: ['iife'],
        name: 'diagram',
        fileName: () => 'diagram.js',
      },
      license: { fileName: 'diagram-notices.md' },
      rolldownOptions: { output: { codeSplitting: false } },
    },
  })
  const file = resolve(outDir, 'diagram.js')
  const script = (await readFile(file, 'utf8')).replaceAll('</script', String.raw`<\/script`)
  const hash = createHash('sha256').update(script).digest('base64')
  const policy = `<meta http-equiv="Content-Security-Policy" content="script-src 'sha256-${hash}'">`
  const head = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Diagram</title>${policy}</head>`
  await writeFile(resolve(outDir, 'diagram.html'), `${head}<body><script>${script}</script></body></html>`)
  await rm(file)
}
