import { library } from '@troupe/tooling/tsup'

export default library({ entry: { index: 'src/index.ts', 'page-worker': 'src/web/page-worker.ts' } })
