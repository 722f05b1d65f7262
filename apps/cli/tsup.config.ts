import { copyFileSync, cpSync } from 'node:fs'
import { withNotices } from '@troupe/tooling/third-party-notices'
import { program } from '@troupe/tooling/tsup'
import { DEPLOY_FILES } from './src/scaffold/deploy-files.ts'
import { entry } from './tsup.entry.ts'

export default program({
  entry,
  minify: true,
  ...withNotices(import.meta.dirname, {
    // Python runs it from beside the bundle
    onSuccess: () => {
      copyFileSync('../../packages/python/src/bridge.py', 'dist/bridge.py')
      for (const file of DEPLOY_FILES) cpSync(`../../deploy/${file}`, `dist/deploy/${file}`)
    },
  }),
})
