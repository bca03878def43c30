within ;
package Scree "Grains of a Scree FMU on a MultiBody frame"
  import SI = Modelica.Units.SI;

  model GranularPort
    "Force of the grains on a frame, by the adapter law: stable for any mass of grains (docs/coupling.md)"

    Modelica.Mechanics.MultiBody.Interfaces.Frame_a frame
      "Frame of the tool, as the port's body has it; torques are about its origin";

    parameter SI.Time step = 0.005 "Communication step H of the coupling";
    parameter Boolean useImpedance = true "false: plain exchange, for grains much lighter than the tool";

    // from the FMU, sampled: connect <port>.force, <port>.torque and <port>.Z
    input SI.Force force[3] "Mean force of the grains over the last step, world frame";
    input SI.Torque torque[3] "Mean torque about the frame's origin, world frame";
    input Real Z[6, 6] "Impedance: kg, kg.m, kg.m2";

    // to the FMU: connect to <port>.position, orientation (matrix), velocity, angularVelocity
    output SI.Position position[3] = frame.r_0;
    output Real orientation[3, 3] = transpose(frame.R.T) "From body to world, as Scree has it";
    output SI.Velocity velocity[3] = v;
    output SI.AngularVelocity angularVelocity[3] = w;

  protected
    SI.Velocity v[3] = der(frame.r_0) "Of the frame's origin, world frame";
    SI.AngularVelocity w[3] = Modelica.Mechanics.MultiBody.Frames.resolve1(
      frame.R, Modelica.Mechanics.MultiBody.Frames.angularVelocity2(frame.R));
    Real u[6] = cat(1, v, w) "Twist now";
    discrete Real held[6](each start = 0, each fixed = true) "Twist that the step under way is made with";
    discrete Real before[6](each start = 0, each fixed = true) "The one before";
    discrete Real z[6, 6](each start = 0, each fixed = true);
    discrete Real base[6](each start = 0, each fixed = true) "N s, N m s: J(u) at u = held";
    discrete Real carried[6](each start = 0, each fixed = true) "N s, N m s: what has not been used yet";
    discrete Real used[6](each start = 0, each fixed = true) "N s, N m s: integral at the last sample";
    Real impulse[6] "N s, N m s: J(u)";
    Real sum[6](each start = 0, each fixed = true) "N s, N m s: integral of the wrench that acts";

  equation
    when sample(0, step) then
      before = pre(held);
      held = u;
      z = if useImpedance then 0.5*(Z + transpose(Z)) else zeros(6, 6);
      used = sum;
      carried = pre(carried) + step*cat(1, force, torque) - (sum - pre(used));
      base = step*cat(1, force, torque) + z*(pre(held) - pre(before)) + carried;
    end when;

    impulse = base - z*(u - held);
    der(sum) = impulse/step;

    frame.f = -Modelica.Mechanics.MultiBody.Frames.resolve2(frame.R, impulse[1:3]/step);
    frame.t = -Modelica.Mechanics.MultiBody.Frames.resolve2(frame.R, impulse[4:6]/step);
    annotation (Documentation(info = "<html><p>Connect the inputs and outputs with the FMU of a scene whose port has
      impedance=&quot;true&quot; and orientation=&quot;matrix&quot;; set <code>step</code> to the communication step.</p></html>"));
  end GranularPort;

  annotation (uses(Modelica(version = "4.0.0")));
end Scree;
