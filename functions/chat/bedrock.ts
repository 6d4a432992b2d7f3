import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import type { LanguageModel } from 'ai';
import { environment } from '../environment.ts';
import { wholeService } from '../service.ts';

/** The model of the build chat. Region, credentials and endpoint are AWS's own settings, which the provider reads itself. */
export const chatModel = /* @__PURE__ */ wholeService((): LanguageModel => {
  // The SDK's warnings quote the conversation, which must not reach the log.
  globalThis.AI_SDK_LOG_WARNINGS = false;
  return createAmazonBedrock()(environment.chatModelId);
}, ['bedrock:InvokeModelWithResponseStream']);
