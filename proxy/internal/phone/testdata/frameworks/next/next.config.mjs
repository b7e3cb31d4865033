export default { outputFileTracingRoot: process.cwd(), eslint: { ignoreDuringBuilds: true } }
