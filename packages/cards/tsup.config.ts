import { library } from '@troupe/tooling/tsup'

export default library({ entry: ['src/index.ts', 'src/edit/index.ts', 'src/formats/index.ts'] })
