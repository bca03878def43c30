/*
 * A belt is fed at a constant rate, and carries what falls on it to its end: a mean force of rate times speed, and
 * every grain counted. The grains lie one deep: in a thick layer the last ones slide ahead where the belt ends and no
 * grain holds them any more, and leave faster than the belt (by 3 % in a layer of two).
 *
 *   mean of the force along the belt = ṁ v, once what is on the belt is steady
 *   fed = on the belt + taken, exactly
 */
#include "verify/bed.h"

#include <math.h>

static const double SPEED = 1.0, RATE = 3.0; /* m/s, kg/s */
static const double DT = 0.02;               /* s */

static void run(scree_verify *verify)
{
    scree_bed bed = {0};
    scree_scene *scene;
    bed_add(&bed, "scene name=belt gravity=0,0,-9.81");
    bed_add(&bed, "solver threads=1");
    bed_add(&bed, "material id=rock density=2500 youngs=1e7");
    bed_add(&bed, "material id=smooth density=2500 youngs=1e7");
    bed_add(&bed, "pair a=rock b=rock friction=0.5 rolling=0.5");
    bed_add(&bed, "pair a=rock b=smooth friction=0");
    bed_add(&bed, "body id=belt material=rock belt=1,0,0 beltSpeed=%g", SPEED);
    bed_add(&bed, "plane normal=0,0,1");
    bed_add(&bed, "body id=skirts material=smooth");
    bed_add(&bed, "plane normal=0,1,0 position=0,-0.1,0");
    bed_add(&bed, "plane normal=0,-1,0 position=0,0.1,0");
    bed_add(&bed, "region id=source position=0,0,0.2 size=0.15,0.15,0.02");
    bed_add(&bed, "emitter id=feed material=rock region=source massRate=%g", RATE);
    bed_add(&bed, "size diameter=0.016 diameterMax=0.02");
    bed_add(&bed, "region id=end shape=halfspace position=1,0,0 normal=-1,0,0");
    bed_add(&bed, "sink id=end region=end");
    bed_add(&bed, "loadSensor id=belt body=belt axis=0,1,0");
    bed_add(&bed, "flowSensor id=past position=0.8,0,0 normal=1,0,0");
    scree_world *world = bed_world(verify, &bed, &scene);
    double force = 0.0, power = 0.0, flow = 0.0, mass[2] = {0.0, 0.0}, momentum[2] = {0.0, 0.0}, worst = 0.0;
    bool ok = world != NULL;
    /* 3.5 s fill the belt, then 10 s are measured: 30 kg in grains of 8 g */
    for (int i = 0; i < 675 && ok; i++) {
        scree_info info;
        ok = verify_steps(verify, world, DT, 1);
        scree_world_get_info(world, &info);
        scree_fed fed = scree_world_get_emitted(world, 0), taken = scree_world_get_removed(world, 0);
        worst = fmax(worst, fabs(fed.mass - taken.mass - info.mass) / fed.mass);
        if (i < 174)
            continue;
        int end = i > 174;
        mass[end] = info.mass;
        momentum[end] = info.momentum[0];
        if (!end)
            continue;
        scree_load_reading load = scree_world_get_reading(world, 0).load;
        force -= load.force[0] / 500.0;
        power += load.power / 500.0;
        flow += scree_world_get_reading(world, 1).flow.mass_flow / 500.0;
    }
    if (ok) {
        verify_near(verify, "mean belt force / (rate times speed)", "", force / (RATE * SPEED), 1.0, 0.02, "momentum");
        verify_near(verify, "mean power / (rate times speed squared)", "", power / (RATE * SPEED * SPEED), 1.0, 0.02,
                    "belt force times speed");
        verify_near(verify, "mean flow past the end / rate", "", flow / RATE, 1.0, 0.02, "mass");
        verify_below(verify, "fed less taken less held / fed, most", "", worst, 1e-14, "rounding");
        verify_report(verify, "mass on the belt, change while measured", "kg", mass[1] - mass[0], NAN, "");
        verify_report(verify, "momentum along the belt, likewise", "kg m/s", momentum[1] - momentum[0], NAN, "");
    }
    verify_free(world, scene);
}

const scree_verify_case scree_verify_belt = {
    .name = "belt", .summary = "force on a belt, and its mass balance", .slow = false, .run = run};
