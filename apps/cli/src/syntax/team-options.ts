import { Option, type Command } from 'commander'

/** Adds the options of `TeamOptions`, except `--agent`, `--set` and `--watch`. */
export function addTeamOptions(command: Command): Command {
  return command
    .addOption(repeatable('--card <path>', 'another card in which children are looked for'))
    .addOption(repeatable('--agent-cards <folder>', 'a folder of such cards'))
    .option('--config <file>', 'the configuration file; default: the nearest troupe.json')
    .option('--root <folder>', 'the folder that built-in tools work in; default: this one')
    .option('--model <id>', 'the model of every agent, such as openai/gpt-5-mini')
    .addOption(repeatable('--env <NAME=value>', 'a variable; beats every other source'))
    .addOption(repeatable('--env-file <file>', 'a file of variables'))
    .option('--frozen', 'leave out tools of MCP servers that are not as troupe.lock has them')
    .option('--allow-http', 'read cards from http addresses, not only https')
    .option('--allow-private', 'read cards from addresses of this machine and of private networks')
}

/** Creates an option that may be given several times; its values are a list. */
export function repeatable(flags: string, description: string): Option {
  const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [
    ...(before ?? []),
    value,
  ]
  return new Option(flags, `${description} (repeatable)`).argParser(collect)
}
