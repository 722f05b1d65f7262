import { troupeError } from '@troupe/schema'
import { importPackage, type PackageUser } from './import-package.ts'

/** Scope of tokens for models on Azure. */
const AZURE_SCOPE = 'https://cognitiveservices.azure.com/.default'

/**
 * Returns the options of a package for the default credentials of the machine. Their libraries read the
 * environment of the process, files and metadata services, so they are used only if the configuration says so.
 */
export async function importDefaultCredentials(
  cloud: 'azure' | 'aws' | 'google',
  user: PackageUser,
): Promise<object> {
  if (cloud === 'azure') {
    const { DefaultAzureCredential, getBearerTokenProvider } = await importFunctions(
      '@azure/identity',
      ['DefaultAzureCredential', 'getBearerTokenProvider'],
      user,
    )
    const credential: unknown = Reflect.construct(DefaultAzureCredential, [])
    return { tokenProvider: getBearerTokenProvider(credential, AZURE_SCOPE) }
  }
  if (cloud === 'aws') {
    const { fromNodeProviderChain } = await importFunctions(
      '@aws-sdk/credential-providers',
      ['fromNodeProviderChain'],
      user,
    )
    return { credentialProvider: fromNodeProviderChain() }
  }
  // without a key, the package itself looks for Application Default Credentials
  return {}
}

type ImportedFunctions<Name extends string> = Readonly<Record<Name, (...args: readonly unknown[]) => unknown>>

async function importFunctions<const Name extends string>(
  from: string,
  names: readonly Name[],
  user: PackageUser,
): Promise<ImportedFunctions<Name>> {
  const exported = await importPackage(from, user)
  const missing = names.find((name) => typeof exported[name] !== 'function')
  if (missing === undefined) return exported as ImportedFunctions<Name>
  throw troupeError('config_invalid', `The package ${from} has no function ${missing}.`, {
    fix: `Update it: \`npm install ${from}\` in ${user.folder}.`,
  })
}
