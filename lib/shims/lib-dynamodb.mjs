// The package does not say that its modules do nothing by themselves, so all of its paginators would come along.
export * from '../../node_modules/@aws-sdk/lib-dynamodb/dist-es/commands/index.js';
export { DynamoDBDocumentClient } from '../../node_modules/@aws-sdk/lib-dynamodb/dist-es/DynamoDBDocumentClient.js';
