import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defaultClientConditions, defineConfig } from 'vite'

/** The page as static files: relative addresses, nothing inline, so that it runs under a strict Content-Security-Policy. */
export default defineConfig({
  base: './',
  plugins: [react(), tailwind()],
  resolve: { conditions: ['@troupe/source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    target: 'es2023',
    // fonts are files too: a data address would need a looser policy
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // what others wrote changes less often than the page
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'libraries', test: /node_modules/u }] } },
    },
    license: { fileName: 'third-party-notices.md' },
  },
})
