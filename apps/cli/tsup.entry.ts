/** Files of the program by their names in the bundle. */
export const entry = {
  bin: 'src/bin.ts',
  index: 'src/index.ts',
  client: 'src/library/client.ts',
  hooks: 'src/library/hooks.ts',
  server: 'src/library/server.ts',
  store: 'src/library/store.ts',
  testing: 'src/library/testing.ts',
  'watchdog-worker': 'src/watchdog-worker.ts',
  'function-worker': 'src/function-worker.ts',
  'page-worker': '../../packages/runtime/src/web/page-worker.ts',
  'provided/schema': 'src/provided/schema.ts',
  'provided/hooks': 'src/provided/hooks.ts',
  'provided/troupe-hooks': 'src/provided/troupe-hooks.ts',
  'provided/zod': 'src/provided/zod.ts',
}
