#include "body/path.h"

#include <string.h>

_Static_assert(SCREE_INPUT_VALUES <= 32, "one bit for each value");
_Static_assert(sizeof(scree_port_input) == 3 * SCREE_INPUT_VALUES * sizeof(double) + 8,
               "written as it lies in memory: without gaps");

#define PLACE(member) (offsetof(scree_motion, member) / sizeof(double))
#define BITS(member)  (((UINT32_C(1) << sizeof(((scree_motion *)0)->member) / sizeof(double)) - 1) << PLACE(member))

/* ---------------------------------------------------------------- what the inputs say */

/* The values from `place` on, time t after the communication point. */
static void evaluate(const scree_port_input *input, size_t place, size_t count, double t, double *values)
{
    const double *now = (const double *)input + place;
    for (size_t i = 0; i < count; i++)
        values[i] = now[i] + t * (input->rates[0][place + i] + 0.5 * t * input->rates[1][place + i]);
}

/* The unit quaternion of a rotation matrix (row by row), from its largest component: q q^T has the entries
   4 w^2 = 1 + trace, 4 x^2 = 1 + m00 - m11 - m22, 4 w x = m21 - m12, 4 x y = m10 + m01 … */
static quat quat_of_matrix(const double m[9])
{
    double squares[4] = {1.0 + m[0] + m[4] + m[8], 1.0 + m[0] - m[4] - m[8], 1.0 - m[0] + m[4] - m[8],
                         1.0 - m[0] - m[4] + m[8]};
    double wx = m[7] - m[5], wy = m[2] - m[6], wz = m[3] - m[1];
    double xy = m[3] + m[1], yz = m[7] + m[5], zx = m[2] + m[6];
    const quat columns[4] = {
        {squares[0], wx, wy, wz}, {wx, squares[1], xy, zx}, {wy, xy, squares[2], yz}, {wz, zx, yz, squares[3]}};
    int largest = 0;
    for (int i = 1; i < 4; i++)
        largest = squares[i] > squares[largest] ? i : largest;
    return columns[largest];
}

/* Whether a matrix is a rotation but for rounding and interpolation: its columns are those of the unit quaternion q
   within a tenth. */
static bool is_rotation(const double m[9], quat q)
{
    const vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (int k = 0; k < 3; k++)
        if (!(length(sub(quat_rotate(q, axes[k]), (vec3){m[k], m[3 + k], m[6 + k]})) < 0.1))
            return false;
    return true;
}

bool scree_input_pose(const scree_port_input *input, const scree_port *port, double t, scree_pose *pose)
{
    double position[3], orientation[4], matrix[9];
    bool by_matrix = port->orientation == SCREE_ORIENTATION_MATRIX;
    evaluate(input, PLACE(position), 3, t, position);
    evaluate(input, PLACE(orientation), 4, t, orientation);
    evaluate(input, PLACE(matrix), 9, t, matrix);
    quat q = by_matrix ? quat_of_matrix(matrix) : quat_of(orientation);
    if (!(quat_norm(q) > 1e-6)) /* a unit quaternion that lost six digits is still a direction; nothing is not */
        return false;
    *pose = (scree_pose){.x = vec3_of(position), .q = quat_normalize(q)};
    return !by_matrix || is_rotation(matrix, pose->q);
}

static uint32_t orientation_bits(const scree_port *port)
{
    return port->orientation == SCREE_ORIENTATION_MATRIX ? BITS(matrix) : BITS(orientation);
}

scree_status scree_input_check(const scree_port_input *input, const scree_port *port, double dt, scree_error *error)
{
    bool changes = (input->given[0] | input->given[1]) & orientation_bits(port);
    scree_pose pose;
    for (int half = 0; half <= (changes ? 2 : 0); half++)
        if (!scree_input_pose(input, port, 0.5 * half * dt, &pose))
            return scree_fail(error, SCREE_INVALID, "port %s: %s%s", port->id,
                              port->orientation == SCREE_ORIENTATION_MATRIX
                                  ? "the orientation matrix is no rotation"
                                  : "the orientation quaternion has no length",
                              half > 0 ? " within the step; its derivatives lead there" : "");
    return SCREE_OK;
}

scree_wrench scree_input_load(const scree_port_input *input, double begin, double end)
{
    scree_wrench load = input->load;
    const size_t place = offsetof(scree_port_input, load) / sizeof(double);
    double middle = 0.5 * (begin + end), square = (begin * begin + begin * end + end * end) / 3.0;
    for (size_t i = 0; i < sizeof load / sizeof(double); i++)
        ((double *)&load)[i] += middle * input->rates[0][place + i] + 0.5 * square * input->rates[1][place + i];
    return load;
}

/* Velocity or angular velocity with its derivatives, in the world frame. */
typedef struct moving {
    vec3 v, v1, v2;
} moving;

static moving read_moving(const scree_port_input *input, size_t place)
{
    return (moving){vec3_of((const double *)input + place), vec3_of(input->rates[0] + place),
                    vec3_of(input->rates[1] + place)};
}

static moving rotate(quat q, moving m)
{
    return (moving){quat_rotate(q, m.v), quat_rotate(q, m.v1), quat_rotate(q, m.v2)};
}

static void read_twist(const scree_port_input *input, const scree_port *port, quat q, moving *v, moving *w)
{
    *v = read_moving(input, PLACE(velocity));
    *w = read_moving(input, PLACE(angular_velocity));
    if (port->frame == SCREE_FRAME_WORLD)
        return;
    vec3 turning = cross(w->v, v->v);
    v->v2 = add(add(v->v2, scale(2.0, cross(w->v, v->v1))), add(cross(w->v1, v->v), cross(w->v, turning)));
    v->v1 = add(v->v1, turning);
    w->v2 = add(w->v2, cross(w->v, w->v1));
    *v = rotate(q, *v);
    *w = rotate(q, *w);
}

/* ---------------------------------------------------------------- the way */

/* The rotation from one orientation to another that is nearest to the rotation vector `meant`, whole turns included. */
static vec3 turn_between(quat from, quat to, vec3 meant)
{
    vec3 turn = quat_log(quat_mul(to, quat_conj(from)));
    double angle = length(turn), far = length(meant);
    if (angle < 1e-15) /* rounding of the quaternion product, not a rotation: what rests stays at rest */
        turn = (vec3){0.0, 0.0, 0.0};
    if (far <= SCREE_PI)
        return turn;
    vec3 axis = angle > 1e-9 ? scale(1.0 / angle, turn) : scale(1.0 / far, meant);
    return mul_add(turn, 2.0 * SCREE_PI * round((dot(axis, meant) - angle) / (2.0 * SCREE_PI)), axis);
}

scree_path scree_path_stay(scree_pose pose)
{
    return (scree_path){.from = pose, .to = pose};
}

scree_path scree_path_go(scree_pose from, vec3 v, vec3 w, double dt)
{
    scree_path path = {.from = from, .to = from, .dt = dt, .turn = scale(dt, w)};
    path.to.x = mul_add(from.x, dt, v);
    path.to.q = quat_normalize(quat_mul(quat_exp(path.turn), from.q));
    return path;
}

static bool is_zero(vec3 a)
{
    return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

/* Coefficients of the position; gap: what the inputs are ahead of the body at the start. */
static void bend_position(scree_path *path, const scree_port_input *input, const moving *v, vec3 gap)
{
    bool given = (input->given[0] | input->given[1]) & BITS(position);
    moving p = read_moving(input, PLACE(position));
    path->x[0] = path->from.x;
    path->x[1] = mul_add(given ? p.v1 : v->v, 1.0 / path->dt, gap);
    path->x[2] = scale(0.5, given ? p.v2 : v->v1);
    path->x[3] = given ? (vec3){0.0, 0.0, 0.0} : scale(1.0 / 6.0, v->v2);
}

/* Coefficients of the rotation vector. */
static void bend_orientation(scree_path *path, const scree_port_input *input, const scree_port *port, const moving *w)
{
    uint32_t bits = orientation_bits(port);
    double dt = path->dt;
    if ((input->given[0] | input->given[1]) & bits) {
        scree_pose half, end;
        (void)scree_input_pose(input, port, 0.5 * dt, &half);
        (void)scree_input_pose(input, port, dt, &end);
        vec3 turn = turn_between(path->q, end.q, scale(dt, w->v));
        vec3 halfway = turn_between(path->q, half.q, scale(0.5 * dt, w->v));
        vec3 bow = input->given[1] & bits ? sub(scale(2.0, turn), scale(4.0, halfway)) : (vec3){0.0, 0.0, 0.0};
        path->r[0] = scale(1.0 / dt, sub(turn, bow));
        path->r[1] = scale(1.0 / (dt * dt), bow);
        return;
    }
    path->r[0] = w->v;
    path->r[1] = scale(0.5, w->v1);
    path->r[2] = add(scale(1.0 / 6.0, w->v2), scale(1.0 / 12.0, cross(w->v1, w->v)));
    path->r[3] = scale(1.0 / 24.0, cross(w->v2, w->v));
}

static vec3 turn_at(const scree_path *path, double t)
{
    return scale(t, mul_add(path->r[0], t, mul_add(path->r[1], t, mul_add(path->r[2], t, path->r[3]))));
}

scree_path scree_path_aim(scree_pose from, const scree_port_input *input, const scree_port *port, double dt)
{
    scree_path path = {.from = from, .to = from, .dt = dt};
    scree_pose said;
    moving v, w;
    (void)scree_input_pose(input, port, 0.0, &said);
    read_twist(input, port, said.q, &v, &w);
    path.curved = input->given[0] || input->given[1] || !is_zero(v.v1) || !is_zero(v.v2);
    if (path.curved != 0.0) {
        path.q = said.q;
        path.gap = turn_between(from.q, said.q, (vec3){0.0, 0.0, 0.0});
        bend_position(&path, input, &v, sub(said.x, from.x));
        bend_orientation(&path, input, port, &w);
        vec3 ahead = mul_add(path.x[1], dt, mul_add(path.x[2], dt, path.x[3]));
        path.to.x = mul_add(path.x[0], dt, ahead);
        path.to.q = quat_normalize(quat_mul(quat_exp(turn_at(&path, dt)), said.q));
        return path;
    }
    vec3 meant = scale(dt, w.v);
    path.to.x = mul_add(said.x, dt, v.v);
    path.to.q = quat_normalize(quat_mul(quat_exp(meant), said.q));
    path.turn = turn_between(from.q, path.to.q, meant);
    return path;
}

scree_pose scree_path_at(const scree_path *path, double share)
{
    if (share >= 1.0)
        return path->to;
    if (path->curved != 0.0) {
        double t = share * path->dt;
        quat start = quat_mul(quat_exp(scale(share - 1.0, path->gap)), path->q);
        vec3 ahead = mul_add(path->x[1], t, mul_add(path->x[2], t, path->x[3]));
        return (scree_pose){mul_add(path->x[0], t, ahead), quat_normalize(quat_mul(quat_exp(turn_at(path, t)), start))};
    }
    return (scree_pose){mul_add(path->from.x, share, sub(path->to.x, path->from.x)),
                        quat_normalize(quat_mul(quat_exp(scale(share, path->turn)), path->from.q))};
}

void scree_path_twist(const scree_path *path, double begin, double end, vec3 *v, vec3 *w)
{
    *v = *w = (vec3){0.0, 0.0, 0.0};
    if (!(path->dt > 0.0))
        return;
    if (path->curved == 0.0) {
        *v = scale(1.0 / path->dt, sub(path->to.x, path->from.x));
        *w = scale(1.0 / path->dt, path->turn);
        return;
    }
    double t0 = begin * path->dt, t1 = end * path->dt;
    scree_pose a = scree_path_at(path, begin), b = scree_path_at(path, end);
    vec3 meant = mul_add(sub(turn_at(path, t1), turn_at(path, t0)), end - begin, path->gap);
    *v = scale(1.0 / (t1 - t0), sub(b.x, a.x));
    *w = scale(1.0 / (t1 - t0), turn_between(a.q, b.q, meant));
}

void scree_path_speed(const scree_path *path, double *speed, double *spin)
{
    vec3 v, w;
    double dt = path->dt;
    if (path->curved == 0.0) {
        scree_path_twist(path, 0.0, 1.0, &v, &w);
        *speed = length(v);
        *spin = length(w);
        return;
    }
    *speed = length(path->x[1]) + dt * (2.0 * length(path->x[2]) + 3.0 * dt * length(path->x[3]));
    *spin = length(path->gap) / dt; /* an exponential turns at most as fast as its rotation vector changes */
    for (int k = 0; k < 4; k++)
        *spin += (k + 1) * pow(dt, k) * length(path->r[k]);
}
