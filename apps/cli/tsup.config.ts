import { library } from '@troupe/tooling/tsup'

/** Everything is in the bundle, workspace packages from their sources, so that the package needs nothing installed beside it. Lazy imports stay files of their own. */
export default library({
  entry: ['src/bin.ts'],
  minify: true,
  sourcemap: false,
  noExternal: [/./],
  // CommonJS inside the bundle asks for Node's modules by `require`
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
  esbuildOptions(options) {
    options.conditions = ['@troupe/source', 'module', 'import', 'node']
    options.legalComments = 'linked'
  },
})
