import { library } from '@troupe/tooling/tsup'

export default library({
  entry: {
    index: 'src/index.ts',
    internal: 'src/internal.ts',
    'contracts/index': 'src/contracts/index.ts',
    'postgres/index': 'src/postgres/index.ts',
    'slack/index': 'src/slack/index.ts',
    'teams/index': 'src/teams/index.ts',
  },
})
