// What Bedrock's provider asks of Anthropic's: what a model can do. Tools that Anthropic defines are never offered here.
export {
  getModelCapabilities,
  sanitizeJsonSchema,
} from '../../node_modules/@ai-sdk/anthropic/dist/internal/index.js';

export const anthropicTools = {};
export const prepareTools = () => {
  throw new Error('The tools that Anthropic defines are not part of this bundle.');
};
