import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { defineConfig } from 'vitepress'
import llmstxt from 'vitepress-plugin-llms'
import { headingId } from '@troupe/tooling/docs/links'
import { copyLinkedFiles, deadLinks, fileAddress } from '../site-links.ts'
import { adaptMarkdown, markdownAddress, relinkMarkdown } from '../markdown.ts'
import { indexedWord, SEARCH, splitIntoWords } from '../search.ts'
import { readSidebar } from '../sidebar.ts'

const vitepress = createRequire(createRequire(import.meta.url).resolve('vitepress/package.json'))
const root = resolve(import.meta.dirname, '../../..')

/** Returns the page of a Markdown file of the repository, without its extension; `undefined` if the site has none. */
function pageOf(file: string): string | undefined {
  if (file === 'examples/README.md' || file === 'deploy/README.md') return file.replace('README.md', 'index')
  const example = /^examples\/(?<name>[^/]+)\/README\.md$/u.exec(file)?.groups?.['name']
  if (example !== undefined) return `examples/${example}`
  if (['CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].includes(file)) return file.replace(/\.md$/u, '')
  const page = /^docs\/(?<page>.+)\.md$/u.exec(file)?.groups?.['page']
  if (page === 'home') return 'index'
  if (page === 'README') return 'contents'
  return page?.replace(/(?<=\/)README$/u, 'index')
}

/** Files that pages link to and that are not pages themselves, by their paths in the repository. */
const linkedFiles = new Set<string>()

const siteFiles = {
  root,
  pageOf,
  addFile(file: string): string {
    linkedFiles.add(file)
    return fileAddress(file)
  },
}

/**
 * Resolves Vue for pages, whose folders are outside of this package. The browser must get the module build of VitePress,
 * because another one would be a second instance of Vue.
 */
const vueForPages = {
  name: 'vue-for-pages',
  config(_config: unknown, { isSsrBuild = false }: { readonly isSsrBuild?: boolean | undefined }) {
    const modules = ['vue/server-renderer', ...(isSsrBuild ? ['vue'] : [])]
    const alias = modules.map((name) => ({
      find: new RegExp(`^${name}$`, 'u'),
      replacement: vitepress.resolve(name),
    }))
    return { resolve: { alias } }
  },
}

export default defineConfig({
  title: 'Troupe',
  description: 'Teams of LLM agents from plain files',
  lang: 'en',
  srcDir: '../..',
  srcExclude: [
    'README.md',
    'LICENSE.md',
    '.*/**',
    'apps/**',
    'packages/**',
    'tools/**',
    'deploy/!(README.md)',
    'examples/*/!(README.md)',
    'examples/*/*/**',
    '**/node_modules/**',
  ],
  rewrites: {
    'docs/home.md': 'index.md',
    'docs/README.md': 'contents.md',
    'examples/README.md': 'examples/index.md',
    'deploy/README.md': 'deploy/index.md',
    'docs/:page.md': ':page.md',
    'docs/:folder/README.md': ':folder/index.md',
    'docs/:folder/:page.md': ':folder/:page.md',
    'examples/:name/README.md': 'examples/:name.md',
  },
  outDir: './dist',
  cacheDir: './.vitepress/cache',
  head: [
    ['link', { rel: 'icon', href: '/icon.svg', type: 'image/svg+xml' }],
    ['style', {}, '.vp-doc .file-path { margin: 16px 0 -12px; font-size: 14px; color: var(--vp-c-text-2) }'],
  ],
  markdown: {
    // `{id}` at the end of a heading is a parameter of a path, not an attribute
    attrs: { disable: true },
    // as in the repository, so that links to headings work in both
    anchor: { slugify: headingId },
    config: (md) => adaptMarkdown(md, siteFiles),
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        miniSearch: {
          options: { tokenize: splitIntoWords, processTerm: indexedWord },
          searchOptions: SEARCH,
        },
      },
    },
    outline: [2, 3],
    sidebar: readSidebar(
      resolve(root, 'docs/README.md'),
      (page) => `/${pageOf(join('docs', page))?.replace(/(?<=\/)index$/u, '')}`,
    ),
    nav: [
      { text: 'Start', link: '/getting-started' },
      { text: 'Contents', link: '/contents' },
      { text: 'Cards', link: '/cards' },
      { text: 'Command line', link: '/cli' },
      { text: 'llms.txt', link: '/llms.txt', target: '_blank' },
    ],
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  buildEnd({ outDir, pages }) {
    for (const source of pages) {
      const copy = join(outDir, markdownAddress(pageOf(source) ?? source))
      writeFileSync(copy, relinkMarkdown(readFileSync(copy, 'utf8'), join(root, source), siteFiles))
    }
    copyLinkedFiles(linkedFiles, root, outDir)
    const dead = deadLinks(outDir)
    if (dead.length > 0) throw new Error(`The site has dead links:\n${dead.join('\n')}`)
  },
  vite: {
    publicDir: resolve(import.meta.dirname, '../public'),
    // The plugin is typed for a newer Vite than that of VitePress.
    plugins: [llmstxt({ injectLLMHint: false, excludeIndexPage: false }) as never, vueForPages],
    build: { chunkSizeWarningLimit: 1000 },
  },
})
