// Of what the AWS clients do round each call, without a warning of a Node that Lambda chooses, and a log that none has.
export * from '../../node_modules/@aws-sdk/core/dist-es/submodules/client/index.js';

export const emitWarningIfUnsupportedVersion = () => {};
export const getLoggerPlugin = () => ({ applyToStack: () => {} });
