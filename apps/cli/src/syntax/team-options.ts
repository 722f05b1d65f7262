import { Option, type Command } from 'commander'

/** Adds the options of `TeamOptions`, except `--agent`, `--set` and `--watch`. */
export function addTeamOptions(command: Command): Command {
  return command
    .optionsGroup('Cards, models and variables:')
    .addOption(repeatable('--card <path>', 'an additional card with agents to call'))
    .addOption(repeatable('--agent-cards <folder>', 'an additional folder of cards with agents to call'))
    .option('--config <file>', 'the configuration file; default: the nearest troupe.json')
    .option(
      '--root <folder>',
      'the folder that built-in tools work in; default: runtime.root of troupe.json, else the current folder',
    )
    .option('--model <id>', 'the model of every agent, such as openai/gpt-5-mini')
    .addOption(repeatable('--env <NAME=value>', 'a variable; overrides every other source'))
    .addOption(repeatable('--env-file <file>', 'a file of variables'))
    .option('--frozen', 'leave out MCP tools that differ from troupe.lock')
    .option('--allow-http', 'allow cards from http URLs')
    .option('--allow-private', 'allow cards from URLs on this machine and on private networks')
    .optionsGroup('Options:')
}

/** Creates an option that may be given several times; its values are a list. */
export function repeatable(flags: string, description: string): Option {
  const collect = (value: string, before: readonly string[] | undefined): readonly string[] => [
    ...(before ?? []),
    value,
  ]
  return new Option(flags, `${description} (repeatable)`).argParser(collect)
}
