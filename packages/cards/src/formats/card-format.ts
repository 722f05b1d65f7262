import type { JsonObject } from '@troupe/schema'
import type { CardProblem, FieldReport } from '../card/card-types.ts'
import type { FieldPath, Position, ProblemDraft } from '../card/problem.ts'
import type { Rewriter } from './rewriter.ts'
import type { ToolPermissions } from './tool-permissions.ts'

/** A card before its format is known, and the input of its translation. */
export interface RawCard {
  readonly path: string
  /** The keys as written. */
  readonly fields: JsonObject
  /** The prose after the front matter; `undefined` in YAML and JSON. */
  readonly body: string | undefined
  /**
   * Reads a file that the prompt includes; may throw. Without it, nothing is included. `root` is the folder
   * that must contain the file, links resolved. Default: the folder of the card.
   */
  readonly readText?: ((path: string, root?: string) => string) | undefined
  /** Returns the names of the files in a folder, sorted; none if it cannot be read. Without it, folders are not read. */
  readonly listFiles?: ((folder: string) => readonly string[]) | undefined
  /** Returns the keys of another card below `root`; `undefined` if it cannot be read. Without it, no other card is read. */
  readonly readFields?: ((path: string, root: string) => JsonObject | undefined) | undefined
  /** Folder in which the product would be started. Default: the folder of the card. */
  readonly workspace?: string | undefined
  /** Date for prompts that contain it. Without it, they keep their placeholder. */
  readonly now?: Date | undefined
  /** Variables that replace settings of the product. Without them, only files count. */
  readonly variables?: CardVariables | undefined
  /** Name of the agent, or path of its card, that the user chose to run. */
  readonly entry?: string | undefined
  /** Returns the position of a path in the file, or of the nearest one around it. */
  readonly positionOf?: ((path: FieldPath) => Position | undefined) | undefined
  /** Settings outside the agent that apply to it, in order of precedence, lowest first. */
  readonly project?: readonly ProjectSettings[] | undefined
  /** Model names that stay as written. */
  readonly modelWords?: ReadonlySet<string> | undefined
  /** Formats of other products that the card may be in. */
  readonly formats?: CardFormats | undefined
}

/** Variables of the environment and of env files. */
export interface CardVariables {
  get(name: string): string | undefined
  names(): readonly string[]
}

/** Settings outside an agent that apply to it: those of its file, or of a file of its project. */
export interface ProjectSettings {
  /** Name of the file in reports. */
  readonly label: string
  /** Path relative to the folder of the card. */
  readonly name: string
  readonly file: string
  readonly fields: JsonObject
  positionOf(path: FieldPath): Position | undefined
}

/** A card translated to Troupe's keys. */
export interface Translation {
  readonly fields: JsonObject
  readonly report: readonly FieldReport[]
  readonly problems: readonly ProblemDraft[]
  /**
   * The path as written of every moved value, by its dotted path in the translation. The longest prefix
   * applies.
   */
  readonly origins: ReadonlyMap<string, FieldPath>
  /** The prompt, if it differs from the body as written. */
  readonly body?: string
  /** Path of the agent in a file that holds several. */
  readonly at?: FieldPath
  /**
   * True if the agent gets tools that the file does not list, because its product gives them to every agent.
   */
  readonly grantsUnlistedTools?: boolean
  /** Provider settings that the files of the product define, with the keys of `providers` in troupe.json. */
  readonly providers?: JsonObject
  /** Paths of texts that come from a file of secrets, which are never written to another file. */
  readonly secrets?: readonly FieldPath[]
}

/** Reads the files of a product. Functions that are missing mean that files cannot be read. */
export type ProductFiles = Pick<RawCard, 'readText' | 'listFiles'>

/** Folders in which a product looks for its files. */
export interface ProductFolders extends Pick<RawCard, 'listFiles' | 'variables'> {
  /** Folder in which the product would be started. */
  readonly workspace: string
  /** Home folder of the user. Without it, files of the user are not read. */
  readonly home?: string | undefined
}

/** A key of a card format, for the tables of the documentation. */
export interface FieldRow {
  readonly key: string
  readonly status: FieldReport['status']
  /** The severity of the problem that the key causes in every card. */
  readonly problem?: CardProblem['severity']
  readonly to?: string
  readonly reason?: string
}

/** The context in which a rule is applied. */
export interface FieldContext {
  readonly rewriter: Rewriter
  readonly card: RawCard
  /** The key as written. */
  readonly from: FieldPath
  /** The tools that the agent may use, collected from all keys and written at the end. */
  readonly grant: ToolPermissions
}

/** The outcome for a value; `undefined` if it is the one that the rule states. */
export type FieldOutcome = Omit<FieldReport, 'key'> | undefined

/** Allows the equivalents of a tool and returns the report. */
export type ToolAlias = (at: FieldPath, field: FieldContext) => Omit<FieldReport, 'key'>

/** The format of a product's agent files. */
export interface CardFormat {
  /** The value of `dialect:`. */
  readonly name: string
  /** Aliases and the keys they stand for, for "did you mean". */
  readonly aliases: ReadonlyMap<string, string>
  /** Display name of the product. */
  readonly product: string
  /** True if the product accepts front matter that lacks quotes required by YAML. */
  readonly acceptsUnquotedText?: boolean
  /** True if a file in the folders of the product needs no front matter. */
  readonly acceptsProse?: boolean
  /** True if files that end in `.markdown` are cards, too. */
  readonly acceptsLongEnding?: boolean
  /** All keys of the format. */
  readonly rows: readonly FieldRow[]
  /** Path patterns of its files, for people. */
  readonly pathPatterns: readonly string[]
  /** Returns true for a path in a folder that only this format uses. */
  matchesFolder(path: string): boolean
  /** Returns true for a file name that indicates this format, unless the keys are clearly Troupe's. */
  matchesFileName(path: string): boolean
  /** True if the format has Troupe's keys and some of its own. */
  readonly extendsTroupe: boolean
  /** Returns true if the files around the card show that it belongs to a project of the product. */
  matchesProject?(card: RawCard): boolean
  /** Returns true if the format has every key of the card. */
  hasAllKeys(card: RawCard): boolean
  /** Returns true if the format has every key of the card and could hold every value. */
  accepts(card: RawCard): boolean
  /** Returns true for a shape that no other format has, whatever else is in the file. */
  hasUniqueShape(card: RawCard): boolean
  /**
   * Returns true if a key that Troupe cards have too holds a value that only this product uses, such as a
   * tool name. A model alias such as `sonnet` does not count.
   */
  usesOwnValues?(card: RawCard): boolean
  /** Returns the equivalent of a tool name that only this product uses. Troupe cards accept such names too. */
  toolAlias?(name: string): ToolAlias | undefined
  /** True if users of the product run a folder of agents as one team, which needs an entry agent. */
  readonly needsEntry?: boolean
  /** True if the product runs an agent whose servers or skills are missing. */
  readonly toleratesMissingParts?: boolean
  /** Translates a card. Pure; never throws. Unknown keys stay where they are. */
  translate(card: RawCard): Translation
  /** Returns the paths of project files that apply to a card, in order of precedence, lowest first. They need not exist. */
  projectFiles?(path: string, folders: ProductFolders): readonly string[]
  /**
   * Returns the folder that the product searches for agents together with its subfolders, for a path in it;
   * `undefined` for any other path.
   */
  agentsFolder?(path: string, files: ProductFiles): string | undefined
  /** Returns the folders and files below `agentsFolder` that may hold agents. Default: the folder itself. */
  agentPaths?(folder: string, files: ProductFiles): readonly string[]
  /** Folders in which the product looks for the agents of a project, relative to the folder of the project. */
  readonly projectFolders?: readonly string[]
  /** Returns the folders besides that of the card whose code the card may name. */
  codeRoots?(path: string, folders: ProductFolders): readonly string[]
  /** Returns the paths of env files that the product reads for a card, in order of precedence, lowest first. They need not exist. */
  envFiles?(path: string, folders: ProductFolders): readonly string[]
  /** Translates all agents of a file; `undefined` if the file holds a single one. */
  several?(card: RawCard): readonly Translation[] | undefined
}

/** The formats of other products. */
export interface CardFormats {
  readonly formats: readonly CardFormat[]
  /** Matches every path that may belong to one of the formats. Others are not tested against each format. */
  readonly paths: RegExp
  readonly otherFiles: readonly OtherFile[]
  /** Reads a TOML file. Without it, TOML files are text. */
  readonly readToml?: (text: string) => TomlReadResult
  /**
   * Returns the text of a file without data that no format uses, such as search vectors. Lines keep their
   * numbers. Files may be larger than a card may be, as long as the rest is not.
   */
  withoutUnusedData?(text: string, path: string): string
}

/** The mapping of a TOML file, or the reason why it cannot be read. */
export type TomlReadResult =
  | { readonly fields: JsonObject }
  | { readonly message: string; readonly position: Position }

/** A kind of file that is not an agent card but is often taken for one. */
export interface OtherFile {
  /** Completes "it is …". */
  readonly what: string
  readonly fix: string
  /** Matches paths of such files. */
  readonly path?: RegExp
  /** Returns true for the content of such files. */
  readonly isLike?: (fields: JsonObject, card: { readonly body: string | undefined }) => boolean
}

/** Options for parsing a card. */
export interface ParseOptions {
  /**
   * The path or URL of the card. Its extension determines the syntax and its stem the default name; relative
   * paths in the card are resolved against its folder.
   */
  readonly path: string
  /** Reads a schema file named in the card; may throw. Without it, schema files are refused. */
  readonly readText?: (path: string, root?: string) => string
  /** Returns the names of the files in a folder. Without it, folders are not read. */
  readonly listFiles?: (folder: string) => readonly string[]
  /** Folder in which the product of the card would be started. Default: the folder of the card. */
  readonly workspace?: string | undefined
  /** Home folder of the user. Without it, files of the user are not read. */
  readonly home?: string | undefined
  /** Date for prompts that contain it. Without it, they keep their placeholder. */
  readonly now?: Date | undefined
  /** Variables that replace settings of the card's product. Without them, only files count. */
  readonly variables?: CardVariables | undefined
  /** Name of the agent, or path of its card, that the user chose to run. */
  readonly entry?: string | undefined
  /**
   * Reads a settings file of the project that applies to the card. Returns `undefined` if there is none,
   * throws if it cannot be read. Without it, no settings files are read.
   */
  readonly readProjectFile?: (path: string) => string | undefined
  /**
   * Returns `path` with links resolved, because the settings of the linked file's project apply too. Default:
   * `path` itself.
   */
  readonly realPath?: () => string
  /** Model names defined in the configuration. They stay as written, also in cards of other products. */
  readonly modelWords?: ReadonlySet<string> | undefined
  /** Formats of other products. Without it, every file is read as a Troupe card. */
  readonly formats?: CardFormats | undefined
}

/** Options for reading cards from files. */
export type ReadOptions = Pick<
  ParseOptions,
  'modelWords' | 'formats' | 'workspace' | 'home' | 'now' | 'variables' | 'entry'
>
