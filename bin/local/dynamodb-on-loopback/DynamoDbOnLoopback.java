import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import software.amazon.dynamodb.services.local.main.ServerRunner;

/**
 * Starts DynamoDB Local with its own arguments, but listens on loopback alone: its own main class has no option for that.
 * The class file is kept beside this source, because a machine with a Java runtime need not have a compiler. To compile it again,
 * in this folder, with LIB as the folder of DynamoDBLocal.jar: javac --release 17 -g:none -cp "LIB/*:LIB/DynamoDBLocal_lib/*" *.java
 */
public class DynamoDbOnLoopback {
  public static void main(String[] arguments) throws Exception {
    var dynamoDb = ServerRunner.createServerFromCommandLineArgs(arguments);
    var field = dynamoDb.getClass().getDeclaredField("server");
    field.setAccessible(true);
    for (var connector : ((Server) field.get(dynamoDb)).getConnectors()) {
      ((ServerConnector) connector).setHost("127.0.0.1");
    }
    dynamoDb.start();
    dynamoDb.join();
  }
}
