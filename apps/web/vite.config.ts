import tailwind from '@tailwindcss/vite'
import { compressFolder } from '@troupe/tooling/compress-folder'
import react from '@vitejs/plugin-react'
import { resolve } from 'node:path'
import { defaultClientConditions, defineConfig, type Plugin } from 'vite'

/** The page as static files: relative addresses, nothing inline, so that it runs under a strict Content-Security-Policy. */
export default defineConfig({
  base: './',
  plugins: [react(), tailwind(), compressFiles()],
  resolve: { conditions: ['@troupe/source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    target: 'es2023',
    // fonts are files too: a data address would need a looser policy
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // in kB, before compression
    chunkSizeWarningLimit: 600,
    // React changes less often than the page. Other libraries belong to the pages that use them.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [{ name: 'react', test: /node_modules\/(?:react|react-dom|scheduler)\//u }],
        },
      },
    },
    license: { fileName: 'third-party-notices.md' },
  },
})

/** Compresses the files of the built page, from which the server chooses by what a browser takes. */
function compressFiles(): Plugin {
  let folder = ''
  return {
    name: 'compress-files',
    apply: 'build',
    configResolved({ root, build }) {
      folder = resolve(root, build.outDir)
    },
    closeBundle: () => compressFolder(folder),
  }
}
