/** Generators that use the JavaScript API of the compiler, which TypeScript 7 does not have. */
const NEEDS_COMPILER_API = [
  'openapi-typescript',
  '@hey-api/openapi-ts',
  '@hey-api/codegen-core',
  '@hey-api/shared',
]

function readPackage(manifest) {
  if (NEEDS_COMPILER_API.includes(manifest.name) && manifest.peerDependencies?.typescript !== undefined) {
    const { typescript: _, ...peerDependencies } = manifest.peerDependencies
    manifest.peerDependencies = peerDependencies
    manifest.dependencies = { ...manifest.dependencies, typescript: '^6.0.3' }
  }
  return manifest
}

module.exports = { hooks: { readPackage } }
